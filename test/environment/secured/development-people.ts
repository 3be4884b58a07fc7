// Who signs in at the provider of `./sluice up --secured`, and where. Verbs that only print it load nothing else.

export interface DevelopmentSignIn {
  readonly issuer: string;
  /** The console as browsers know it. */
  readonly origin: string;
  /** The configuration that the services follow. */
  readonly configurationFile: string;
  /** How a command line signs in (`./sluice login`); left out: an earlier `up` prepared it without. */
  readonly commandLine?: DevelopmentCommandLine;
}

interface DevelopmentCommandLine {
  readonly clientId: string;
  readonly audience: string;
  /** PEM file of the authority of provider and console. */
  readonly caFile: string;
}

/** Settings with which the services judge the proofs of a command line; none without a provider. */
export function settingsOfSignIn(signIn: DevelopmentSignIn | null): Readonly<Record<string, string>> {
  return signIn === null ? {} : { SLUICE_PUBLIC_ORIGINS: signIn.origin };
}

/** One acts, the other approves. */
export const developmentPeople = [
  { id: "thandi", name: "Thandi", subject: "development-thandi", roles: ["read", "act"] },
  { id: "sipho", name: "Sipho", subject: "development-sipho", roles: ["read", "approve"] },
] as const;
