import type { IncomingMessage } from 'node:http'
import type { PeerOf } from '../../platform/net/peer.ts'
import type { BackOffOptions } from './back-off.ts'

/**
 * Lets `find` look a Bearer token up, behind the guard against guessing; undefined is a wrong token. Throws RATE_LIMITED (429) for an address
 * that has sent too many wrong ones.
 */
export type JudgeToken = <T>(request: IncomingMessage, find: () => Promise<T | undefined>) => Promise<T | undefined>

/** For entrances that know one kind of token, which is no identity of a buyer. */
export function createJudgeToken(
  { guard, terms, isExempt }: BackOffOptions,
  { peerOf, clock }: { readonly peerOf: PeerOf; readonly clock: () => Date },
): JudgeToken {
  return async (request, find) => {
    const { address } = peerOf(request)
    if (isExempt(address)) return find()
    return guard.judge({ address, terms }, clock(), find, (found) => (found === undefined ? 'wrong' : 'right'))
  }
}
