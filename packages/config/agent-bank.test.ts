import { describe, expect, it } from "vitest";
import { findAgentBank, type AgentNames } from "./agent-bank.ts";
import type { Bank, BankAgent } from "./configuration.ts";

const banks = [
  bank("first", [{ memberId: "250655", bicfi: "FIRNZAJJ", branchRanges: [["250000", "259999"]] }]),
  bank("second", [{ memberId: "632005", bicfi: null, branchRanges: [["632005", "632005"]] }]),
];

function bank(id: string, agents: readonly BankAgent[]): Bank {
  return { id, agents } as Bank;
}

function found(agent: Partial<AgentNames> & { readonly branchCode?: string }): string {
  const { branchCode, ...names } = agent;
  const branch = branchCode === undefined ? null : { identification: branchCode };
  const result = findAgentBank(banks, { memberId: null, bicfi: null, branch, ...names });
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

  it("is not guessed if members lead to different banks", () => {
    expect(found({ memberId: "632005", branchCode: "255555" })).toBe("contradicting");
    expect(found({ memberId: "632005", bicfi: "FIRNZAJJ" })).toBe("contradicting");
  });
});
