import type { CallAgent } from './agent-caller.ts'

/** One thing that was done, for the reader: a call of the buyer, or a command of the publisher. */
export interface Step {
  readonly actor: 'buyer' | 'publisher'
  /** Task or command. */
  readonly call: string
  readonly request?: object
  readonly answer: unknown
  /** What came back, in a few lines. */
  readonly lines: readonly string[]
}

export interface FirstBuyParts {
  readonly call: CallAgent
  readonly brief: string
  /** Approves as the publisher; absent where only the publisher's own people can. Returns the command that was run and what it printed. */
  readonly approve?:
    | ((what: 'order' | 'creative', id: string) => Promise<{ readonly command: string; readonly answer: unknown }>)
    | undefined
  readonly report: (step: Step) => void
  readonly newId: () => string
  readonly clock: () => Date
  readonly sleep: (ms: number) => Promise<void>
  /** How long approvals and delivery are waited for, in milliseconds, each. */
  readonly waitMs: number
}

/** The publisher's decision, where this machine is the publisher's. */
export async function approveHere({ approve, report }: FirstBuyParts, what: 'order' | 'creative', id: string): Promise<void> {
  if (!approve) return
  const { command, answer } = await approve(what, id)
  const lines = ['approved, as the data folder of the publisher is on this machine']
  report({ actor: 'publisher', call: command, answer, lines })
}

/** Who pays, on a sandbox account. */
export const ACCOUNT = { brand: { domain: 'acme.example' }, operator: 'acme.example', sandbox: true } as const

const POLL_MS = 1_000

/** Asks once a second until the answer is final or the time is over; returns the last answer and how long it took in milliseconds. */
export async function poll<Answer>(
  { clock, sleep, waitMs }: Pick<FirstBuyParts, 'clock' | 'sleep' | 'waitMs'>,
  ask: () => Promise<Answer>,
  isFinal: (answer: Answer) => boolean,
): Promise<{ readonly answer: Answer; readonly waitedMs: number }> {
  const startedAt = clock().getTime()
  for (;;) {
    const answer = await ask()
    const waitedMs = clock().getTime() - startedAt
    if (isFinal(answer) || waitedMs > waitMs) return { answer, waitedMs }
    await sleep(POLL_MS)
  }
}

/** An amount with its currency, e.g. `3.30 USD`. */
export function money(amount: number, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`
}
