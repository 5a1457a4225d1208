import { isSigned } from '../signing/parse-signature.ts'
import type { Exemption } from './call-limits.ts'
import type { GuardTerms, GuessGuard, Judgement } from './guess-guard.ts'
import { hashToken } from './opaque-key.ts'
import type { TransportCredentials } from './transport-credentials.ts'
import type { Verdict, Verifier } from './verifier.ts'

export interface BackOffOptions {
  readonly guard: GuessGuard
  readonly terms: GuardTerms
  readonly isExempt: Exemption
}

/**
 * Puts a verifier behind the guard against guessing. A token of ours that has expired is no guess: a hosted assistant sends those of all its
 * people from one address.
 */
export function withBackOff(verifier: Verifier, { guard, terms, isExempt }: BackOffOptions): Verifier {
  return {
    name: verifier.name,
    async verify(credentials, at) {
      const { remoteAddress: address, authorization } = credentials
      const check = () => verifier.verify(credentials, at)
      if (isExempt(address) || !isPresented(credentials)) return check()
      return guard.judge({ address, name: userLabel(authorization), label: keyLabel(authorization), terms }, at, check, judgement)
    },
  }
}

function judgement(verdict: Verdict): Judgement {
  if (verdict.kind === 'verified') return 'right'
  return verdict.kind === 'refused' && !verdict.isOver ? 'wrong' : 'neither'
}

function isPresented({ authorization, rawHeaders, clientCertificate }: TransportCredentials): boolean {
  return (
    authorization !== undefined ||
    clientCertificate !== undefined ||
    isSigned(rawHeaders) ||
    rawHeaders.some((name, index) => index % 2 === 0 && /^authorization$/i.test(name))
  )
}

/** The user name of Basic credentials: what a password is guessed for. */
function userLabel(authorization = ''): string | undefined {
  const pair = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  return pair === undefined ? undefined : Buffer.from(pair, 'base64').toString('utf8').split(':', 1)[0]
}

/** An opaque key as a whole: another key with the same public prefix is another one. */
function keyLabel(authorization = ''): string | undefined {
  const token = /^bearer +(sk_[0-9a-f]{12}_[A-Za-z0-9_-]{1,100}) *$/i.exec(authorization)?.[1]
  return token === undefined ? undefined : `key ${hashToken(token)}`
}
