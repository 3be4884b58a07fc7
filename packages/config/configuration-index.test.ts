import { describe, expect, it } from "vitest";
import { type AgentNames, findAgentBank, findBank, findConnector, findScheme } from "./configuration-index.ts";
import type { Bank, BankAgent, Configuration, Connector, Scheme } from "./configuration.ts";

const banks = [
  bank("first", [{ memberId: "250655", bicfi: "FIRNZAJJ", branchRanges: [["250000", "259999"]] }]),
  bank("second", [{ memberId: "632005", bicfi: null, branchRanges: [["632005", "632005"]] }]),
];

const configuration = { banks, connectors: [], schemes: [] } satisfies Partial<Configuration>;

function bank(id: string, agents: readonly BankAgent[]): Bank {
  return { id, agents } as Bank;
}

function found(agent: Partial<AgentNames> & { readonly branchCode?: string }): string {
  const { branchCode, ...names } = agent;
  const branch = branchCode === undefined ? null : { identification: branchCode };
  const result = findAgentBank(configuration, { memberId: null, bicfi: null, branch, ...names });
  return result.kind === "known" ? result.bank.id : result.kind;
}

describe("the bank of an agent", () => {
  it("is found by any one of memberId, bicfi and branch", () => {
    expect([found({ memberId: "632005" }), found({ bicfi: "FIRNZAJJ" }), found({ branchCode: "255555" })]).toEqual([
      "second",
      "first",
      "first",
    ]);
    expect(found({ memberId: "632005", branchCode: "000001" })).toBe("second");
  });

  it("is unknown if no member leads to one", () => {
    expect([found({}), found({ memberId: "1" }), found({ branchCode: "260000" }), found({ branchCode: "25555" })]).toEqual(
      Array.from({ length: 4 }, () => "unknown"),
    );
  });

  it("is unknown under another form of the bicfi than the configured one, because an office may be an agent of its own [D10 agents]", () => {
    expect([found({ bicfi: "FIRNZAJJ" }), found({ bicfi: "FIRNZAJJXXX" })]).toEqual(["first", "unknown"]);
  });

  it("is not guessed if members lead to different banks", () => {
    expect(found({ memberId: "632005", branchCode: "255555" })).toBe("contradicting");
    expect(found({ memberId: "632005", bicfi: "FIRNZAJJ" })).toBe("contradicting");
  });
});

describe("look-ups by id", () => {
  it("find banks, connectors and schemes, and nothing under an unknown id", () => {
    const known = { ...configuration, connectors: [{ id: "clearing" } as Connector], schemes: [{ id: "ZA_EFT" } as Scheme] };
    expect([findBank(known, "second")?.id, findConnector(known, "clearing")?.id, findScheme(known, "ZA_EFT")?.id]).toEqual([
      "second",
      "clearing",
      "ZA_EFT",
    ]);
    expect([findBank(known, "clearing"), findConnector(known, "first"), findScheme(known, "ZA_RTC")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("find the bank of a branch in the longest of its ranges, whatever their order", () => {
    const ranges = (...branchRanges: [string, string][]) => [{ memberId: null, bicfi: null, branchRanges }];
    const nested = {
      ...configuration,
      banks: [
        bank("wide", ranges(["200000", "200000"], ["100000", "200000"], ["150000", "150010"])),
        bank("next", ranges(["200001", "300000"])),
      ],
    };
    const of = (identification: string) => {
      const result = findAgentBank(nested, { memberId: null, bicfi: null, branch: { identification } });
      return result.kind === "known" ? result.bank.id : result.kind;
    };
    expect(["099999", "100000", "150011", "200000", "200001", "300001"].map(of)).toEqual([
      "unknown",
      "wide",
      "wide",
      "wide",
      "next",
      "unknown",
    ]);
  });
});
