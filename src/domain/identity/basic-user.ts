import type { Identity } from './identity.ts'

/** A Basic user that may log in now. */
export interface BasicUser extends Identity {
  readonly username: string
  /** As `hashPassword` made it. */
  readonly passwordHash: string
}

/** Whether somebody may log in: a user of a buyer, or a person of the publisher. */
export const LOGIN_STATUSES = ['active', 'revoked'] as const
export type LoginStatus = (typeof LOGIN_STATUSES)[number]
