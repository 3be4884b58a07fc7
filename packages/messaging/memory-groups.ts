// The group coordinator of the memory adapter: eager rebalances as kafkajs has them.
//
// #1 A change of members makes each member give up everything at its next heartbeat, then the partitions are dealt anew.
// #2 A killed member keeps its partitions silent until its session ends.
// #3 The coordinator takes a commit only from a member of the group. (The real one takes it for any partition, trouble M;
//    which partition a member may commit is the adapter's to know.)

import type { Random, Time } from "@sluice/runtime";
import type { Link, MemoryNetwork } from "./memory-network.ts";
import type { MemoryRecords } from "./memory-log.ts";
import type { TopicPartition } from "./port.ts";

export interface GroupMember {
  readonly link: Link;
  readonly topics: readonly string[];
  /** Gives up everything it holds. */
  revoke(): void;
  assign(partitions: readonly TopicPartition[]): void;
}

export interface MemoryGroups {
  join(group: string, member: GroupMember): void;
  leave(group: string, member: GroupMember): void;
  /** Ends the session of every member of a client: what happens after a kill, or after a long silence. */
  expire(link: Link): void;
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
  /** Members that gave everything up in this round; null outside a round. */
  ready: Set<GroupMember> | null;
  round: number;
  readonly committed: Map<string, bigint>;
}

export function createMemoryGroups(options: MemoryGroupsOptions): MemoryGroups {
  const { time, random, records, network } = options;
  const groups = new Map<string, Group>();

  function groupOf(name: string): Group {
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
    time.after(network.latencyMs(), () => deal(group, round));
  }

  async function giveUp(group: Group, round: number, member: GroupMember): Promise<void> {
    await member.link.back();
    if (group.round !== round || group.ready === null || !group.members.includes(member)) return;
    member.revoke();
    group.ready.add(member);
    deal(group, round);
  }

  function deal(group: Group, round: number): void {
    if (group.round !== round || group.ready === null || group.ready.size < group.members.length) return;
    group.ready = null;
    const dealt = dealPartitions(group.members, records);
    for (const member of group.members) void tell(group, round, member, dealt.get(member) ?? []);
  }

  async function tell(group: Group, round: number, member: GroupMember, partitions: readonly TopicPartition[]): Promise<void> {
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
      const group = groupOf(name);
      group.members.push(member);
      startRound(group, [member]);
    },
    leave: (name, member) => remove(groupOf(name), (other) => other === member),
    expire(link) {
      for (const group of groups.values()) remove(group, (member) => member.link === link);
    },
    isMember: (name, member) => groupOf(name).members.includes(member),
    rebalance: (name) => startRound(groupOf(name), []),
    committed: (name, partition) => groupOf(name).committed.get(placeOf(partition)) ?? null,
    commit(name, member, partition, nextOffset) {
      const group = groupOf(name);
      if (group.members.includes(member)) group.committed.set(placeOf(partition), nextOffset);
    },
  };
}

function dealPartitions(members: readonly GroupMember[], records: MemoryRecords): Map<GroupMember, TopicPartition[]> {
  const dealt = new Map<GroupMember, TopicPartition[]>(members.map((member) => [member, []]));
  const topics = [...new Set(members.flatMap((member) => member.topics))].toSorted();
  for (const topic of topics) {
    const readers = members.filter((member) => member.topics.includes(topic));
    for (let partition = 0; partition < records.partitionsOf(topic); partition += 1) {
      const reader = readers[partition % readers.length];
      if (reader !== undefined) dealt.get(reader)?.push({ topic, partition });
    }
  }
  return dealt;
}

function placeOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
