import { describe, expect, test } from "vitest";
import { writeDocumentJson } from "../exact-json.ts";
import { buildOpenApiDocument } from "../openapi/openapi.ts";
import { createDocumentsApp } from "./documents-app.ts";

const app = createDocumentsApp();

async function get(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await app.fetch(new Request(`http://sluice.invalid${path}`, init));
  if (response === null) throw new Error(`${path} is not answered`);
  return response;
}

describe("the documents over HTTP", () => {
  test("/openapi.json is the document of the repository as JSON, with its digits", async () => {
    const response = await get("/openapi.json");
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    const text = await response.text();
    expect(text).toBe(writeDocumentJson(buildOpenApiDocument()));
    expect(text).toContain('"value": 1250.50,');
  });

  test("/docs loads only files of the same service, and its policy allows nothing else", async () => {
    const page = await get("/docs");
    const html = await page.text();
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = ""]) => address);
    expect(loaded).toContain("/docs/swagger-ui-bundle.js");
    for (const address of loaded.filter((one) => !one.startsWith("data:"))) expect((await get(address)).status).toBe(200);
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style| on\w+=|https?:/);
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test("no file of the page names another address that it would call by itself", async () => {
    const script = await (await get("/docs/viewer.js")).text();
    expect(script).toContain('url: "/openapi.json"');
    expect(script).toContain("validatorUrl: null");
    expect(script).toContain("supportedSubmitMethods: []");
  });

  test("every answer gives its type and forbids sniffing, framing and referrers", async () => {
    for (const path of app.paths) {
      const { headers } = await get(path);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("content-type")).toMatch(/; charset=utf-8$/);
    }
  });

  test("a page that the client already has is not sent again", async () => {
    const etag = (await get("/openapi.json")).headers.get("etag") ?? "";
    const again = await get("/openapi.json", { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });

  test.each(["/docs/", "/docs/../package.json", "/docs/page.html", "/openapi", "/docs%2fviewer.js"])(
    "%s is none of its addresses",
    async (path) => {
      expect(await app.fetch(new Request(`http://sluice.invalid${path}`))).toBeNull();
    },
  );

  test("other methods than GET and HEAD are left to the service", async () => {
    expect(await app.fetch(new Request("http://sluice.invalid/docs", { method: "POST" }))).toBeNull();
    expect(await (await get("/docs", { method: "HEAD" })).text()).toBe("");
  });
});
