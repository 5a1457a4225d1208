/** Where the authorization server answers, below the origin that is its issuer. */
export const PATHS = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revoke',
  registration: '/oauth/register',
  interaction: '/oauth/interaction/',
  /** Where an identity provider sends people back to. */
  callback: '/oauth/callback',
} as const
