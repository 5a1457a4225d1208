import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Call } from '../call.ts'
import { SCAN_BOUNDS, searchForCredential } from '../credential-scan.ts'
import { secretsIn } from '../credential-values.ts'
import { declaresField } from '../declared-fields.ts'
import type { State, Step } from '../state.ts'

/**
 * Refuses payloads that carry a credential anywhere, by its name or by its value (AdCP authentication page): on every tool, always, before
 * anything logs, stores, validates or echoes the arguments. A field that the official request schema of this very tool,
 * in a release that is served, declares at this very path (a webhook's own credentials, a list's fetch token) is not a buyer credential.
 */
export const rejectCredentials: Step = async (state, next) => {
  const { call } = state
  const secrets = secretsIn(call.credentials)
  const found =
    (await inTurns(searchForCredential(call.arguments, { secrets, isDeclared: (path) => declared(state, path) }))) ??
    (await inTurns(searchForCredential(call.meta, { secrets, isDeclared: isProtocolMeta })))
  if (found === 'too-large')
    throw new AdcpError(
      'INVALID_REQUEST',
      `the arguments are larger than any request may be; at most ${SCAN_BOUNDS} are accepted`,
    )
  if (found !== undefined) {
    throw new AdcpError(
      'CREDENTIAL_IN_ARGS',
      'credentials belong in the transport (Authorization header), never in task arguments',
    )
  }
  return next(state)
}

/** Whether the caller's `context` may be echoed: never when it holds a credential. */
export async function isSafeToEcho(context: unknown, credentials: Call['credentials']): Promise<boolean> {
  const search = searchForCredential(context, { secrets: secretsIn(credentials), isDeclared: () => false })
  return (await inTurns(search)) === undefined
}

function declared(state: State, path: readonly string[]): boolean {
  const { task, deps } = state
  return task !== undefined && deps.contracts.having(task.name).some(({ schemas }) => declaresField(schemas, task.name, path))
}

/** `_meta.progressToken` is MCP's own request field (MCP basic/utilities/progress), chosen by the client, no secret. */
function isProtocolMeta(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === 'progressToken'
}
