// A table of our own in the published form, with the rows that the published vectors need. For tests only; in operation
// the tables that an operator imports decide.

export const valacdosText = `
070116 070116 MOD11    0    0    7    6    5    8    9    4    5    6    7    8    9   -1   12
070116 070116 MOD10    0    3    2    4    5    8    9    4    5    6    7    8    9   -1   13
074456 074456 MOD11    0    0    7    6    5    8    9    4    5    6    7    8    9   -1   12
074456 074456 MOD10    0    3    2    4    5    8    9    4    5    6    7    8    9   -1   13
086090 086090 MOD10    0    0    3    7    1    3    7    1    3    7    1    3    7    1    8
089000 089999 MOD10    0    0    0    0    0    0    7    1    3    7    1    3    7    1
102400 107999 MOD11    0    0    0    0    0    0    8    7    6    5    4    3    2    1
110000 119280 DBLAL    0    0    2    1    2    1    2    1    2    1    2    1    2    1    1
134012 134020 MOD11    0    0    0    7    5    9    8    4    6    3    5    2    0    0    4
180002 180002 MOD11    0    0    0    0    0    0    8    7    6    5    4    3    2    1   14
200901 201159 MOD11    0    0    0    0    0    0    0    7    6    5    4    3    2    1    6
200901 201159 DBLAL    2    1    2    1    2    1    2    1    2    1    2    1    2    1    6
202700 203239 MOD11    0    0    0    0    0    0    0    7    6    5    4    3    2    1    6
202700 203239 DBLAL    2    1    2    1    2    1    2    1    2    1    2    1    2    1    6
309001 309633 MOD11    0    0    3    2    9    8    5    7    6    5    4    3    2    1    2
309001 309633 MOD11    0    0    3    2    9    8    1    7    6    5    4    3    2    1    9
771900 772799 MOD11    0    0    1    2    5    3    6    4    8    7   10    9    3    1    7
820000 826097 MOD11    0    0    0    0    0    0    0    0    7    3    4    9    2    1
820000 826097 DBLAL    2    1    2    1    2    1    2    1    2    1    2    1    2    1    3
826919 827999 MOD11    0    0    0    0    0    0    0    0    7    3    4    9    2    1
826919 827999 DBLAL    2    1    2    1    2    1    2    1    2    1    2    1    2    1    3
870000 872791 MOD11    0    0    1    2    5    3    6    4    8    7   10    9    3    1   10
870000 872791 MOD11    0    0    5   10    9    8    0    7    6    5    4    3    2    1   11
938000 938696 MOD11    7    6    5    4    3    2    7    6    5    4    3    2    0    0    5
938000 938696 DBLAL    2    1    2    1    2    1    2    1    2    1    2    1    2    0    5
`;

export const scsubtabText = "938600 938611\r\n938602 938343\r\n";

export interface UkVector {
  readonly number: number;
  readonly promise: string;
  readonly sortCode: string;
  readonly account: string;
  readonly isValid: boolean;
}

const vectors: readonly (readonly [number, string, string, string, boolean])[] = [
  [1, "modulus 10", "089999", "66374958", true],
  [2, "modulus 11", "107999", "88837491", true],
  [3, "modulus 11 and double alternate", "202959", "63748472", true],
  [4, "10 and 11, the first passes", "871427", "46238510", true],
  [5, "10 and 11, the second passes", "872427", "46238510", true],
  [6, "10, ab is 09 and g is 9", "871427", "09123496", true],
  [7, "10, ab is 99 and g is 9", "871427", "99123496", true],
  [8, "3, start of the range, c is 6", "820000", "73688637", true],
  [9, "3, end of the range, c is 9", "827999", "73988638", true],
  [10, "3, c is neither, both pass", "827101", "28748352", true],
  [11, "4, the remainder is gh", "134020", "63849203", true],
  [12, "1, 27 is added", "118765", "64371389", true],
  [13, "6, a foreign currency account", "200915", "41011166", true],
  [14, "5", "938611", "07806039", true],
  [15, "5, with a substitute", "938600", "42368003", true],
  [16, "5, both remainders 0", "938063", "55065200", true],
  [17, "7", "772798", "99345694", true],
  [18, "8", "086090", "06774744", true],
  [19, "2 and 9, the first passes", "309070", "02355688", true],
  [20, "2 and 9, the second passes", "309070", "12345668", true],
  [21, "2 and 9, a is not 0, g is not 9", "309070", "12345677", true],
  [22, "2 and 9, a is not 0, g is 9", "309070", "99345694", true],
  [23, "5, only the first is right", "938063", "15764273", false],
  [24, "5, only the second is right", "938063", "15764264", false],
  [25, "5, the first leaves 1", "938063", "15763217", false],
  [26, "1, double alternate fails", "118765", "64371388", false],
  [27, "modulus 11 right, double alternate wrong", "203099", "66831036", false],
  [28, "modulus 11 wrong, double alternate right", "203099", "58716970", false],
  [29, "modulus 10 wrong", "089999", "66374959", false],
  [30, "modulus 11 wrong", "107999", "88837493", false],
  [31, "12 and 13, modulus 11 passes", "074456", "12345112", true],
  [32, "12 and 13, modulus 11 passes, another sort code", "070116", "34012583", true],
  [33, "12 and 13, modulus 10 passes", "074456", "11104102", true],
  [34, "14, right without the last digit", "180002", "00000190", true],
];

/** The vectors of the clearing house's specification, by their numbers there. */
export const ukVectors: readonly UkVector[] = vectors.map(([number, promise, sortCode, account, isValid]) => ({
  number,
  promise,
  sortCode,
  account,
  isValid,
}));
