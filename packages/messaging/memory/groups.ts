// The group coordinator of the memory adapter, with eager rebalances as kafkajs has them.
//
// #1 After a change of members each member hands over and gives up everything at its next heartbeat, and then all
//    partitions are assigned again.
// #2 Partitions of a killed member stay silent until its session ends.
// #3 The coordinator takes commits only from members of the group. (The real one takes them for any partition, trouble
//    M; the adapter must know which partitions a member may commit.)

import type { Random, Time } from "@sluice/kernel";
import type { NetworkLink, MemoryNetwork } from "./network.ts";
import type { MemoryRecords } from "./records.ts";
import type { TopicPartition } from "../port.ts";

export interface GroupMember {
  readonly link: NetworkLink;
  readonly topics: readonly string[];
  /** Finishes what is under way, for a bounded time. */
  handOver(): Promise<void>;
  /** Gives up every assigned partition. */
  revoke(): void;
  assign(partitions: readonly TopicPartition[]): void;
}

export interface MemoryGroups {
  join(group: string, member: GroupMember): void;
  leave(group: string, member: GroupMember): void;
  /** Ends the sessions of all members of a client, as after a kill or a long silence. */
  expire(link: NetworkLink): void;
  isMember(group: string, member: GroupMember): boolean;
  rebalance(group: string): void;
  committed(group: string, partition: TopicPartition): bigint | null;
  commit(group: string, member: GroupMember, partition: TopicPartition, nextOffset: bigint): void;
}

export interface MemoryGroupsOptions {
  readonly time: Time;
  readonly random: Random;
  readonly records: MemoryRecords;
  readonly network: MemoryNetwork;
  readonly heartbeatIntervalMs: number;
}

interface Group {
  members: GroupMember[];
  /** Members that have given up their partitions in this round; null outside a round. */
  ready: Set<GroupMember> | null;
  round: number;
  readonly committed: Map<string, bigint>;
}

export function createMemoryGroups(options: MemoryGroupsOptions): MemoryGroups {
  const { time, random, records, network } = options;
  const groups = new Map<string, Group>();

  function openGroup(name: string): Group {
    const known = groups.get(name);
    if (known !== undefined) return known;
    const group: Group = { members: [], ready: null, round: 0, committed: new Map() };
    groups.set(name, group);
    return group;
  }

  function startRound(group: Group, ready: readonly GroupMember[]): void {
    group.round += 1;
    const { round } = group;
    const kept = [...(group.ready ?? []), ...ready].filter((member) => group.members.includes(member));
    group.ready = new Set(kept);
    for (const member of group.members) {
      if (group.ready.has(member)) continue;
      time.after(random.fraction() * options.heartbeatIntervalMs, () => void giveUp(group, round, member));
    }
    time.after(network.latencyMs(), () => finishRound(group, round));
  }

  async function giveUp(group: Group, round: number, member: GroupMember): Promise<void> {
    await member.link.back();
    if (!isAwaited(group, round, member)) return;
    await member.handOver();
    await member.link.back();
    if (!isAwaited(group, round, member)) return;
    member.revoke();
    group.ready.add(member);
    finishRound(group, round);
  }

  function isAwaited(group: Group, round: number, member: GroupMember): group is Group & { ready: Set<GroupMember> } {
    return group.round === round && group.ready !== null && group.members.includes(member);
  }

  function finishRound(group: Group, round: number): void {
    if (group.round !== round || group.ready === null || group.ready.size < group.members.length) return;
    group.ready = null;
    const assigned = distributePartitions(group.members, records);
    for (const member of group.members) void assign(group, round, member, assigned.get(member) ?? []);
  }

  async function assign(group: Group, round: number, member: GroupMember, partitions: readonly TopicPartition[]): Promise<void> {
    await member.link.back();
    if (group.round === round && group.members.includes(member)) member.assign(partitions);
  }

  function remove(group: Group, gone: (member: GroupMember) => boolean): void {
    const stay = group.members.filter((member) => !gone(member));
    if (stay.length === group.members.length) return;
    group.members = stay;
    startRound(group, []);
  }

  return {
    join(name, member) {
      const group = openGroup(name);
      group.members.push(member);
      startRound(group, [member]);
    },
    leave: (name, member) => remove(openGroup(name), (other) => other === member),
    expire(link) {
      for (const group of groups.values()) remove(group, (member) => member.link === link);
    },
    isMember: (name, member) => openGroup(name).members.includes(member),
    rebalance: (name) => startRound(openGroup(name), []),
    committed: (name, partition) => openGroup(name).committed.get(keyFor(partition)) ?? null,
    commit(name, member, partition, nextOffset) {
      const group = openGroup(name);
      if (group.members.includes(member)) group.committed.set(keyFor(partition), nextOffset);
    },
  };
}

function distributePartitions(members: readonly GroupMember[], records: MemoryRecords): Map<GroupMember, TopicPartition[]> {
  const assigned = new Map<GroupMember, TopicPartition[]>(members.map((member) => [member, []]));
  const topics = [...new Set(members.flatMap((member) => member.topics))].toSorted();
  for (const topic of topics) {
    const readers = members.filter((member) => member.topics.includes(topic));
    for (let partition = 0; partition < records.partitionCount(topic); partition += 1) {
      const reader = readers[partition % readers.length];
      if (reader !== undefined) assigned.get(reader)?.push({ topic, partition });
    }
  }
  return assigned;
}

function keyFor({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
