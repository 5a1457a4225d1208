import { AdcpError } from '../../protocol/errors.ts'
import { findCredential } from '../credential-scan.ts'
import { declaresField } from '../declared-fields.ts'
import type { State, Step } from '../state.ts'

/**
 * Refuses payloads that carry a credential-shaped key anywhere (AdCP authentication page): on every tool, always, before
 * anything logs, stores, validates or echoes the arguments. A field that the official request schema of this very tool
 * declares at this very path (a webhook's own credentials, a list's fetch token) is not a buyer credential.
 */
export const rejectCredentials: Step = async (state, next) => {
  const { call } = state
  const found = findCredential(call.arguments, (path) => declared(state, path)) ?? findCredential(call.meta, isProtocolMeta)
  if (found === 'too-large') throw new AdcpError('INVALID_REQUEST', 'the arguments are nested too deeply or hold too many values')
  if (found !== undefined) {
    throw new AdcpError(
      'CREDENTIAL_IN_ARGS',
      'credentials belong in the transport (Authorization header), never in task arguments',
    )
  }
  return next(state)
}

/** Whether the caller's `context` may be echoed: never when it holds what looks like a credential. */
export function isSafeToEcho(context: unknown): boolean {
  return findCredential(context, () => false) === undefined
}

function declared(state: State, path: readonly string[]): boolean {
  return state.task !== undefined && declaresField(state.deps.schemas, state.task.name, path)
}

/** `_meta.progressToken` is MCP's own request field (MCP basic/utilities/progress), chosen by the client, no secret. */
function isProtocolMeta(path: readonly string[]): boolean {
  return path.length === 1 && path[0] === 'progressToken'
}
