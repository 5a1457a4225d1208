import { parseJson } from '../../src/platform/decode/parse-json.ts'
import { readJwks } from '../../src/security/signing/jwk.ts'
import { registeredKeys } from '../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../src/security/signing/memory-replay-store.ts'
import { operatorRevocations } from '../../src/security/signing/revocation.ts'
import { verifyWebhook } from '../../src/security/signing/webhook-verify.ts'
import { type Arrival, isTaken, type Mood } from './moods.ts'
import type { Settled, Wanted } from './rounds.ts'

export interface Findings {
  readonly rounds: number
  readonly seed: number
  readonly kills: { readonly server: number; readonly seller: number; readonly callsCutOff: number; readonly startMs: number }
  readonly orders: { readonly wanted: number; readonly approved: number; readonly canceled: number }
  readonly webhooks: {
    readonly arrivals: number
    readonly events: number
    /** Events that came more than once, with the same bytes. */
    readonly repeated: number
    readonly signaturesValid: number
    readonly moods: Readonly<Partial<Record<Mood, number>>>
  }
  /** What must not be; empty after a good run. */
  readonly problems: readonly string[]
}

export interface Evidence extends Settled {
  readonly wanted: readonly Wanted[]
  readonly arrivals: readonly Arrival[]
  readonly kills: Findings['kills']
  readonly rounds: number
  readonly seed: number
}

/** Holds what the store and the receiver have against what the buyers wanted. */
export async function judge(evidence: Evidence): Promise<Findings> {
  const { wanted, arrivals, tasks, mediaBuys, kills, rounds, seed } = evidence
  const events = eventsOf(arrivals)
  const signatures = await judgeSignatures(evidence)
  const problems = [...judgeOrders(evidence), ...judgeEvents(evidence, events), ...signatures.problems]
  const moods: Partial<Record<Mood, number>> = {}
  for (const { mood } of arrivals) moods[mood] = (moods[mood] ?? 0) + 1
  return {
    rounds,
    seed,
    kills,
    orders: {
      wanted: wanted.length,
      approved: [...tasks.values()].filter(({ status }) => status === 'completed').length,
      canceled: mediaBuys.filter(({ status }) => status === 'canceled').length,
    },
    webhooks: {
      arrivals: arrivals.length,
      events: events.size,
      repeated: [...events.values()].filter((all) => all.length > 1).length,
      signaturesValid: signatures.valid,
      moods,
    },
    problems,
  }
}

/** Every order exists exactly once: as the media buy that was answered, or as the one that its approved task became. */
function judgeOrders({ wanted, tasks, mediaBuys, undelivered }: Evidence): string[] {
  const problems: string[] = []
  const expected = new Map<string, Wanted>()
  for (const one of wanted) {
    const { mediaBuyId, taskId } = one.answer ?? {}
    const task = taskId === undefined ? undefined : tasks.get(taskId)
    if (one.waits !== (taskId !== undefined)) problems.push(`${one.key}: answered in the other way than its budget asks for`)
    if (taskId !== undefined && task?.status !== 'completed') problems.push(`${one.key}: its task is ${task?.status}`)
    const id = mediaBuyId ?? task?.result?.media_buy_id
    if (id === undefined) problems.push(`${one.key}: no media buy`)
    else if (expected.has(id)) problems.push(`${one.key}: shares a media buy with ${expected.get(id)?.key}`)
    else expected.set(id, one)
  }
  const stored = new Map(mediaBuys.map((buy) => [buy.media_buy_id, buy.status]))
  for (const [id, { key, cancels }] of expected) {
    if (!stored.has(id)) problems.push(`${key}: its media buy is not stored`)
    else if (cancels !== (stored.get(id) === 'canceled')) problems.push(`${key}: its media buy is ${stored.get(id)}`)
  }
  for (const id of stored.keys()) if (!expected.has(id)) problems.push(`${id}: bought by nobody, or twice`)
  if (undelivered > 0) problems.push(`${undelivered} webhooks are still waiting`)
  return problems
}

/** Arrivals by the key of the webhook. */
function eventsOf(arrivals: readonly Arrival[]): ReadonlyMap<string, readonly Arrival[]> {
  const events = new Map<string, Arrival[]>()
  for (const arrival of arrivals) {
    const key = arrival.webhook.body.idempotency_key
    events.set(key, [...(events.get(key) ?? []), arrival])
  }
  return events
}

/** Each order is told once, each cancellation once and after it; a repetition is the same bytes; everything was taken. */
function judgeEvents({ wanted }: Evidence, events: ReadonlyMap<string, readonly Arrival[]>): string[] {
  const problems: string[] = []
  const byOrder = new Map<string, (readonly Arrival[])[]>()
  for (const [key, all] of events) {
    const [first] = all
    if (!first) continue
    if (new Set(all.map(({ webhook }) => webhook.bytes.toString('hex'))).size > 1)
      problems.push(`${key}: came with different bytes`)
    if (!all.some(({ mood }) => isTaken(mood))) problems.push(`${key}: never taken`)
    const operation = first.webhook.body.operation_id
    byOrder.set(operation, [...(byOrder.get(operation) ?? []), all])
  }
  for (const { key, cancels } of wanted) {
    const told = (byOrder.get(key) ?? []).map((all) => all[0]?.webhook.body.result?.status ?? 'nothing')
    const expected = cancels ? ['pending_creatives', 'canceled'] : ['pending_creatives']
    if (JSON.stringify(told) !== JSON.stringify(expected)) problems.push(`${key}: was told ${told.join(', then ') || 'nothing'}`)
  }
  return problems
}

/** Every attempt carries a signature of its own (the replay store refuses a nonce that it has seen), valid at its time. */
async function judgeSignatures({ arrivals, keySet }: Evidence): Promise<{ valid: number; problems: string[] }> {
  const options = {
    keys: registeredKeys('https://seller.example/mcp', readJwks(keySet) ?? []),
    replay: memoryReplayStore(),
    revocations: operatorRevocations(() => false),
    hasDuplicateKey: (body: Uint8Array) => parseJson(body) === undefined,
  }
  const problems: string[] = []
  for (const { webhook } of arrivals) {
    const { url, rawHeaders, bytes, headers } = webhook
    const created = Number(/created=(\d+)/.exec(String(headers['signature-input']))?.[1])
    await verifyWebhook({ method: 'POST', url, rawHeaders, body: bytes }, created, options).catch((error: unknown) =>
      problems.push(`${webhook.body.idempotency_key}: ${String(error)}`),
    )
  }
  return { valid: arrivals.length - problems.length, problems }
}
