/** The attempts after which a message counts as failing: it says nothing about its endpoint any more (D3.44). */
export const failingFromAttempts = 3;
