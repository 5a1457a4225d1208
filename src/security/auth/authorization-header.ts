import type { Verdict, Verifier } from './verifier.ts'

const KNOWN_SCHEME = /^(bearer|basic)\b/i

/**
 * Refuses an `Authorization` header that no mechanism will read: sent twice (Node keeps one of them without a word, so two readers
 * could see two callers), or of a scheme that is not served. Ignoring it would hide the caller's mistake.
 */
export function readableAuthorization(challenge: string): Verifier {
  const refused = (reason: string, message: string): Verdict => ({ kind: 'refused', reason, message, challenge })
  return {
    name: 'authorization',
    async verify({ authorization, rawHeaders }): Promise<Verdict> {
      let sent = 0
      for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'authorization') sent++
      if (sent > 1) return refused('duplicate header', 'the Authorization header came more than once; send it once')
      if (authorization !== undefined && !KNOWN_SCHEME.test(authorization)) {
        return refused(
          'unrecognised scheme',
          'the scheme of the Authorization header is not served here; valid schemes: Bearer, Basic',
        )
      }
      return { kind: 'absent' }
    },
  }
}
