/** Where people log in instead of here: an OpenID provider that the operator chose, and may run on a private network. */
export interface IdentityProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Claim of the ID token that is the name of a user here. */
  readonly userClaim: 'email' | 'preferred_username' | 'sub'
}
