/** A request that is not answered, with its code of trusted-match/error.json. The message is public and repeats nothing of the request. */
export class MatchRefusal extends Error {
  readonly code: 'unknown_package' | 'rate_limited' | 'timeout' | 'provider_unavailable'

  constructor(code: MatchRefusal['code'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
