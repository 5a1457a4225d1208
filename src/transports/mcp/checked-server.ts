import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>

/**
 * The SDK's server with the JSON-RPC errors that the specification asks for: parameters of the wrong form are the caller's fault (-32602, MCP schema:
 * INVALID_PARAMS) and named in words, where the SDK answers an internal error with the text of its validator; anything else that is thrown says
 * nothing of the implementation.
 */
export class CheckedServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler)
    return async (request, context) => {
      try {
        return await wrapped(request, context)
      } catch (error) {
        throw readable(error)
      }
    }
  }
}

function readable(error: unknown): ProtocolError {
  const issues = error instanceof Error ? issuesIn(error.message) : undefined
  if (issues !== undefined) return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params: ${issues}`)
  return error instanceof ProtocolError ? error : new ProtocolError(ProtocolErrorCode.InternalError, 'Internal error')
}

/** The findings of the SDK's validator, whose message is their JSON: `params.cursor: Invalid input: expected string, received number`. */
function issuesIn(message: string): string | undefined {
  const start = message.indexOf('[')
  if (start === -1) return undefined
  try {
    const issues: unknown = foreignJsonIn(message.slice(start))
    return Array.isArray(issues)
      ? issues
          .filter(isIssue)
          .slice(0, 5)
          .map(({ path, message: text }) => `${path.join('.')}: ${text}`)
          .join('; ')
      : undefined
  } catch {
    return undefined
  }
}

function isIssue(value: unknown): value is { readonly path: readonly unknown[]; readonly message: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'path' in value &&
    Array.isArray(value.path) &&
    'message' in value &&
    typeof value.message === 'string'
  )
}
