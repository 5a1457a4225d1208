import { randomBytes } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { hashPassword } from '../../security/auth/password.ts'
import { addBasicUser, listBasicUsers, revokeBasicUser } from '../../store/identity/basic-users.ts'
import { allowPrincipal, disallowPrincipal } from '../../store/identity/user-principals.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** RFC 7617 §2: no colon, no control characters. */
const USERNAME = /^[^\p{Cc}:]{1,128}$/u

/** Shortest password that a person may choose. */
export const MIN_PASSWORD = 16

interface Named {
  readonly tenantId: string
  readonly username: string
}

/**
 * Adds a user name with a password (HTTP Basic, and log-in of assistants) for a principal. Without `password` one is made and given back, this once. Throws
 * INVALID_REQUEST for a name or password that does not count, REFERENCE_NOT_FOUND.
 */
export async function addUser(
  context: OperatorContext,
  input: Named & { readonly principalId: string; readonly password?: string | undefined },
): Promise<{ readonly madePassword: string | undefined }> {
  const { tenantId, principalId, username } = input
  if (!USERNAME.test(username))
    throw new AdcpError('INVALID_REQUEST', 'a user name has no colon and no control characters', { field: 'username' })
  if (input.password !== undefined && input.password.length < MIN_PASSWORD)
    throw new AdcpError('INVALID_REQUEST', `a password has ${MIN_PASSWORD} characters or more`, { field: 'password' })
  const password = input.password ?? randomBytes(24).toString('base64url')
  const passwordHash = await hashPassword(password)
  const store = auditedStore(context, { task: 'users.add', tenant: tenantId, subject: username })
  await store.transaction((tx) => addBasicUser(tx, { tenantId, principalId, username, passwordHash }, context.clock()))
  return { madePassword: input.password === undefined ? password : undefined }
}

/** Lets a user choose one more agent when connecting an assistant. Throws REFERENCE_NOT_FOUND. */
export async function allowAgent(context: OperatorContext, input: Named & { readonly principalId: string }): Promise<void> {
  const store = auditedStore(context, { task: 'users.allow', tenant: input.tenantId, subject: input.username })
  await store.transaction((tx) => allowPrincipal(tx, input, context.clock()))
}

/** Takes {@link allowAgent} back. Throws REFERENCE_NOT_FOUND. */
export async function disallowAgent(
  context: OperatorContext,
  { tenantId, username, principalId }: Named & { readonly principalId: string },
): Promise<void> {
  const store = auditedStore(context, { task: 'users.disallow', tenant: tenantId, subject: username })
  await store.transaction((tx) => disallowPrincipal(tx, tenantId, username, principalId))
}

/** The users of a publisher. */
export function listUsers({ store }: OperatorContext, tenantId: string) {
  return listBasicUsers(store.read, tenantId)
}

/** Ends a user now. Throws REFERENCE_NOT_FOUND. */
export async function revokeUser(context: OperatorContext, { tenantId, username }: Named): Promise<void> {
  const store = auditedStore(context, { task: 'users.revoke', tenant: tenantId, subject: username })
  await store.transaction((tx) => revokeBasicUser(tx, tenantId, username, context.clock()))
}
