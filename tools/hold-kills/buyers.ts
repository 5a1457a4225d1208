import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, type Caller, callTool } from '../testing/call-tool.ts'

/** Guaranteed, at 12 USD a thousand; a buyer's hold of it is a fifth of its day. */
export const PRODUCT = 'sport_display'
const BUDGET = 30_000
/** A process that is killed ends its connections at once; one that lives may be slow on a busy machine. */
const ANSWER_MS = 60_000
/** Between two attempts at a server that is away. */
const AGAIN_MS = 200
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

/** What a buyer was told of a proposal that it finalized. */
export interface Told {
  readonly proposalId: string
  state: 'held' | 'accepted' | 'declined'
  mediaBuyId?: string
}

/** A buyer that goes on finalizing proposals, and accepts or declines each. A call whose answer is lost is sent again with its key until it is answered. */
export class HoldingBuyer {
  readonly told: Told[] = []
  resent = 0
  refused = 0
  #running = false
  readonly #caller: Caller
  readonly #chance: () => number
  readonly #sent: () => void

  /** `sent` is told of each call at the moment it is sent. */
  constructor(origin: string, token: string, chance: () => number, sent: () => void) {
    this.#caller = { origin, token, answerMs: ANSWER_MS }
    this.#chance = chance
    this.#sent = sent
  }

  async declareAccount(): Promise<void> {
    await this.#once('sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  }

  /** Goes on until `stop`; a server that is away is waited for. */
  run(): { stop(): Promise<void> } {
    this.#running = true
    const work = this.#work()
    return {
      stop: async () => {
        this.#running = false
        await work
      },
    }
  }

  async #work(): Promise<void> {
    while (this.#running) {
      const days = { start_date: '2031-05-01', end_date: '2031-05-30' }
      const drafted = await this.#sure('request_proposals', {
        account: ACCOUNT,
        brief: `Sport, $${BUDGET}`,
        criteria: { product_ids: [PRODUCT], offer_filters: days },
      })
      const [draft] = drafted?.proposals ?? []
      if (!draft) continue
      const refinements = [{ proposal_id: draft.proposal_id, action: 'finalize' }]
      const refined = await this.#sure('refine_proposals', { refinements })
      const firm = refined?.results?.[0]?.proposal
      if (!firm) {
        this.refused += 1
        continue
      }
      const told: Told = { proposalId: firm.proposal_id, state: 'held' }
      this.told.push(told)
      if (this.#chance() < 0.25) await this.#accept(firm, told)
      else {
        const declines = [{ proposal_id: firm.proposal_id, reason: 'price' }]
        const declined = await this.#sure('decline_proposals', { declines })
        if (declined?.results?.[0]?.outcome === 'declined') told.state = 'declined'
      }
    }
  }

  async #accept(firm: Answer, told: Told): Promise<void> {
    const terms = { proposal_id: firm.proposal_id, proposal_terms_digest: firm.terms_digest }
    const bought = await this.#sure('accept_proposal', { account: ACCOUNT, ...terms })
    if (bought?.media_buy_id === undefined) return
    told.state = 'accepted'
    told.mediaBuyId = bought.media_buy_id
    await this.#sure('update_media_buy', { account: ACCOUNT, media_buy_id: bought.media_buy_id, canceled: true })
  }

  /** Sends a call until it is answered: undefined only when the buyer is stopped before. */
  async #sure(task: string, args: object): Promise<Answer> {
    const request = { idempotency_key: randomUUID(), ...args }
    for (let attempt = 0; ; attempt++) {
      if (attempt > 0) this.resent += 1
      const answer = await this.#once(task, request)
      const code = answer?.adcp_error?.code
      if (answer && code !== 'SERVICE_UNAVAILABLE' && code !== 'IDEMPOTENCY_IN_FLIGHT' && code !== 'RATE_LIMITED') return answer
      if (!this.#running && !answer) return undefined
      await sleep(AGAIN_MS)
    }
  }

  async #once(task: string, args: object): Promise<Answer> {
    const isCompact = task !== 'update_media_buy' && task !== 'sync_accounts'
    this.#sent()
    try {
      return await callTool(this.#caller, task, { ...(isCompact && { adcp_version: '3.2' }), ...args })
    } catch {
      return undefined
    }
  }
}
