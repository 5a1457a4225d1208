import { AdcpError } from '../../protocol/errors.ts'

/** Ids are part of paths, of lists and of command lines. */
const ID = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/

/** Who acts is written so in the audit log when it is no buyer. */
const RESERVED = 'operator'

/** The id of a new buyer. Throws INVALID_REQUEST for one with other characters, and for `operator`. */
export function requireBuyerId(id: string): string {
  if (ID.test(id) && id !== RESERVED) return id
  const message = `an id has 1 to 128 letters (a–z, A–Z), digits and . _ @ -, begins with a letter or a digit, and is not "${RESERVED}"`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'buyer' })
}
