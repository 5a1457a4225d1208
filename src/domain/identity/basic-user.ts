import type { Identity } from './identity.ts'

/** A Basic user that may log in now. */
export interface BasicUser extends Identity {
  readonly username: string
  /** As `hashPassword` made it. */
  readonly passwordHash: string
}
