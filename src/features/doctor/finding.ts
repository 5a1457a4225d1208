export const OUTCOMES = ['ok', 'warning', 'problem', 'skipped'] as const

/** The result of one check of an agent. `advice` says what to do about it. */
export interface Finding {
  readonly check: Check
  readonly outcome: (typeof OUTCOMES)[number]
  readonly text: string
  readonly advice?: string
  /** The publisher that it is about; absent: the whole deployment. */
  readonly tenant?: string
}

/** The links of the chain, from outside in, as the admin API names them. */
export const CHECKS = [
  'address',
  'connection',
  'certificate',
  'clock',
  'capabilities',
  'brand.json',
  'keys',
  'authorization servers',
  'unauthenticated call',
  'releases',
  'backends',
  'ad server',
  'store',
  'event log',
  'frequency caps',
  'deployment secret',
  'match provider',
  'own system',
  'signed call',
  'publisher',
] as const
export type Check = (typeof CHECKS)[number]

export const ok = (check: Check, text: string): Finding => ({ check, outcome: 'ok', text })
export const skipped = (check: Check, text: string): Finding => ({ check, outcome: 'skipped', text })
export const warning = (check: Check, text: string, advice: string): Finding => ({ check, outcome: 'warning', text, advice })
export const problem = (check: Check, text: string, advice: string): Finding => ({ check, outcome: 'problem', text, advice })
/** A finding about one publisher, whose id its text begins with. */
export const ofPublisher = (tenant: string, finding: Finding): Finding => ({
  ...finding,
  text: `${tenant}: ${finding.text}`,
  tenant,
})
