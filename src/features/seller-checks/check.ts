import type { Caller, SellerAnswer } from './seller-caller.ts'

/** What a check looks at. */
export type CheckGroup = 'discovery' | 'identity' | 'honesty' | 'orders' | 'stories' | 'load'

/** `not verified`: the seller does not offer what the check needs, or the check would spend money. */
export type Outcome = 'held' | 'broken' | 'not verified'

/** One call, for whoever wants to repeat it. Hashes are SHA-256 of the JSON as it was sent and read. */
export interface CheckStep {
  readonly task: string
  readonly request_sha256: string
  readonly answer_sha256: string
  readonly ms: number
  /** What came back, in a few words. */
  readonly said: string
}

/** The result of one check. */
export interface CheckResult {
  readonly id: string
  readonly group: CheckGroup
  readonly title: string
  readonly outcome: Outcome
  /** What was expected and what came instead, or why it was not verified. */
  readonly because?: string
  readonly steps: readonly CheckStep[]
}

/** What a check ends with: nothing where the promise held. */
export type Found = { readonly broken: string } | { readonly unverified: string } | undefined

export const broken = (text: string): Found => ({ broken: text })
export const unverified = (text: string): Found => ({ unverified: text })

/** A promise of the protocol that a seller keeps or breaks. */
export interface Check<Parts> {
  readonly id: string
  readonly group: CheckGroup
  readonly title: string
  readonly run: (call: Caller, parts: Parts) => Promise<Found>
}

/** Longest text of a seller that a report repeats. */
const LONGEST = 500

/** What a seller said, as one line: it would else write lines of its own into the report. */
export function shownText(text: string, longest = LONGEST): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .slice(0, longest)
    .replace(/[\ud800-\udbff]$/, '')
}

/** Plays one check, with the calls that it made. A seller that does not answer has not kept the promise. */
export async function play<Parts>(check: Check<Parts>, caller: Caller, parts: Parts): Promise<CheckResult> {
  const steps: CheckStep[] = []
  const recorded: Caller = async (task, request, options) => {
    const answer = await caller(task, request, options)
    steps.push(stepOf(task, answer))
    return answer
  }
  const { id, group, title } = check
  const found = await check.run(recorded, parts).catch((error: unknown) => broken(`no answer: ${messageOf(error)}`))
  if (found === undefined) return { id, group, title, outcome: 'held', steps }
  if ('unverified' in found) return { id, group, title, outcome: 'not verified', because: shownText(found.unverified), steps }
  return { id, group, title, outcome: 'broken', because: shownText(found.broken), steps }
}

function stepOf(task: string, { requestHash, answerHash, ms, refusal }: SellerAnswer): CheckStep {
  const said = refusal === undefined ? 'answered' : shownText(`refused: ${refusal.code}`)
  return { task, request_sha256: requestHash, answer_sha256: answerHash, ms: Math.round(ms), said }
}

function messageOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return (cause instanceof Error ? cause.message : String(cause)).slice(0, 300)
}
