import { bearerChallenge, type Realm, realmAt } from './challenge.ts'
import type { TransportCredentials } from './transport-credentials.ts'
import type { Verdict, Verifier } from './verifier.ts'

export interface StrayCredentialsOptions {
  readonly realm: Realm
  /** Whether a header or a query parameter of this name holds a credential. */
  readonly namesCredential: (name: string) => boolean
}

/** Headers that browsers and proxies add by themselves: their sender does not want to prove anything here. */
const NOT_OF_CALLER =
  /^(?:cookie|authorization|proxy-authorization|sec-.*|(?:x-)?[cx]srf-.*|cf-.*|x-(?:forwarded|amzn?|goog|ms|envoy|auth-request)-.*)$/

/**
 * Refuses a request with a credential in the wrong place: in a header other than `Authorization` or in the URL. A caller who sends one
 * wants to be known, so it is not served as an anonymous caller (AdCP authentication page; RFC 6750 §2.3 on query parameters). To be asked
 * after all other verifiers: beside a credential that counts, such a header changes nothing.
 */
export function strayCredentials({ realm, namesCredential }: StrayCredentialsOptions): Verifier {
  return {
    name: 'stray credentials',
    async verify({ rawHeaders, target }: TransportCredentials): Promise<Verdict> {
      const place = placeOf(rawHeaders, target, namesCredential)
      if (place === undefined) return { kind: 'absent' }
      return {
        kind: 'refused',
        reason: `a credential in ${place}`,
        code: 'AUTH_REQUIRED',
        message: `the credential came in ${place}, where none counts; send it as Authorization: Bearer <key>`,
        challenge: bearerChallenge(realmAt(realm, target.split('?', 1)[0] ?? '')),
      }
    },
  }
}

function placeOf(
  rawHeaders: readonly string[],
  target: string,
  namesCredential: StrayCredentialsOptions['namesCredential'],
): 'another header' | 'the URL' | undefined {
  const headers = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  if (headers.some((name) => !NOT_OF_CALLER.test(name) && namesCredential(name))) return 'another header'
  const queryAt = target.indexOf('?')
  if (queryAt === -1) return undefined
  return [...new URLSearchParams(target.slice(queryAt)).keys()].some((name) => namesCredential(name)) ? 'the URL' : undefined
}
