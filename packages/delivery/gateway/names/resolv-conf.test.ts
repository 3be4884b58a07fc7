import { expect, test } from "vitest";
import { expandName, parseResolvConf } from "./resolv-conf.ts";

const ofAPod = `# of a pod
search payments.svc.cluster.local svc.cluster.local. Cluster.Local
nameserver 10.96.0.10 ; the cluster's own
options ndots:5 timeout:2 rotate
`;

test("servers, search domains and ndots are read, and what is not known is left out", () => {
  expect(parseResolvConf(ofAPod)).toEqual({
    servers: ["10.96.0.10"],
    searchDomains: ["payments.svc.cluster.local", "svc.cluster.local", "cluster.local"],
    ndots: 5,
  });
  expect(parseResolvConf("nameserver\nnameserver dns.example\nsortlist 10.0.0.0\noptions ndots:x\n")).toEqual({
    servers: [],
    searchDomains: [],
    ndots: 1,
  });
});

test("the last of search and domain wins, and everything is bounded", () => {
  expect(parseResolvConf("search a.example b.example\ndomain c.example d.example").searchDomains).toEqual(["c.example"]);
  expect(parseResolvConf("domain c.example\nsearch a.example b.example").searchDomains).toEqual(["a.example", "b.example"]);
  expect(parseResolvConf("nameserver ::1\nnameserver 10.0.0.1\nnameserver 10.0.0.2\nnameserver 10.0.0.3").servers).toEqual([
    "::1",
    "10.0.0.1",
    "10.0.0.2",
  ]);
  const many = Array.from({ length: 99 }, (_, index) => `d${index}.example`).join(" ");
  expect(parseResolvConf(`search ${many}\noptions ndots:99`)).toMatchObject({ searchDomains: { length: 32 }, ndots: 15 });
});

test("a name with fewer dots than ndots is asked for with each search domain first, any other as it is first", () => {
  const conf = { servers: [], searchDomains: ["svc.cluster.local", "cluster.local"], ndots: 2 };
  expect(expandName("bank.default", conf)).toEqual(["bank.default.svc.cluster.local", "bank.default.cluster.local", "bank.default"]);
  expect(expandName("API.bank.example", conf)).toEqual([
    "api.bank.example",
    "api.bank.example.svc.cluster.local",
    "api.bank.example.cluster.local",
  ]);
});

test("a name that ends with a dot is asked for as it is, and no name gets too long", () => {
  const conf = { servers: [], searchDomains: ["cluster.local"], ndots: 5 };
  expect(expandName("bank.example.", conf)).toEqual(["bank.example"]);
  const long = `${"a".repeat(60)}.`.repeat(4) + "bank";
  expect(expandName(long, conf)).toEqual([long]);
});
