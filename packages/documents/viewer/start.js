// Shows the document that is served beside it. It only reads: no request of the interface can be sent from this page.
// oxlint-disable-next-line no-undef -- both are the browser's
window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#document",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  displayOperationId: true,
  supportedSubmitMethods: [],
  tryItOutEnabled: false,
  persistAuthorization: false,
  validatorUrl: null,
});
