// The decisions that can need a second person before they take effect, by the words of the command line. The resolution
// of an item is not among them: its proposal belongs to the item.

export const secondPersonActions = [
  "credits-final",
  "open-gate",
  "withdraw",
  "redrive",
  "stop",
  "replay",
  "skip",
  "extend",
  "erase",
] as const;

export type SecondPersonAction = (typeof secondPersonActions)[number];
