import { AdcpError } from '../../protocol/errors.ts'

/** How many an account may have: each call about one of them looks through all of them. The protocol has no bound. */
export const MOST_OF_ACCOUNT = { audiences: 2_000, event_sources: 1_000 } as const

/** The refusal of one more than an account may have. */
export function tooManyOf(kind: keyof typeof MOST_OF_ACCOUNT, field: string): AdcpError {
  const words = kind.replaceAll('_', ' ')
  const message = `${field}: an account has at most ${MOST_OF_ACCOUNT[kind]} ${words}, and yours has that many: delete those that you no longer need first`
  return new AdcpError('VALIDATION_ERROR', message, { field })
}
