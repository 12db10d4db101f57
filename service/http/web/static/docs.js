// The page of the API: Swagger UI over the service's own document.
SwaggerUIBundle({
  url: document.currentScript.dataset.document,
  dom_id: "#api",
  deepLinking: true,
  validatorUrl: null, // it would ask a stranger's server
});
