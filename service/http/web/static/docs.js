// The API page: Swagger UI with the service's own OpenAPI document.
SwaggerUIBundle({
  url: document.currentScript.dataset.document,
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null, // it would call an external server
});
