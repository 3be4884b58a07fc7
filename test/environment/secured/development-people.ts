// Who signs in at the provider of `./sluice up --secured`, and where. Verbs that only print it load nothing else.

export interface DevelopmentSignIn {
  readonly issuer: string;
  /** The console as browsers know it. */
  readonly origin: string;
  /** The configuration that the services follow. */
  readonly configurationFile: string;
}

/** One acts, the other approves. */
export const developmentPeople = [
  { id: "thandi", name: "Thandi", subject: "development-thandi", roles: ["read", "act"] },
  { id: "sipho", name: "Sipho", subject: "development-sipho", roles: ["read", "approve"] },
] as const;
