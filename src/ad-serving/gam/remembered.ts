import type { Association, LineSettings, OrderKey, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import { type IdMemory, MADE_ANEW, type RememberedId } from '../../domain/ad-serving/id-memory.ts'

/** What an order of the API says of itself; its budget and flight follow from its lines. */
export type KeptSettings = Pick<OrderSettings, 'name' | 'advertiserId' | 'currency'>

/** Members as they were written, in the form in which they are compared. */
export type Written = Readonly<Record<string, unknown>>

/** What is remembered of an order or a line in our own store. Notes at the network are for people: nothing is read from them or written there. */
interface Memo {
  /** The state that we gave it; a line's own, whatever that of its order is. */
  readonly state: 'active' | 'paused'
  /** What it is found by before its resource name is known, and as which members were written. */
  readonly written: Written
  /** When its creation was begun, ISO 8601 UTC: what is older is not it. */
  readonly since: string
}

export interface OrderMemo extends Memo {
  readonly settings: KeptSettings
}

export interface LineMemo extends Memo {
  readonly settings: LineSettings
  /** It was given hours at some time: its targeting is written and read by the SOAP API from then on. */
  readonly hasHours?: true
  /** What was written of the creatives on it, by our id of the creative; absent: nothing. */
  readonly shows?: Readonly<Record<string, WrittenAssociation>>
}

/** A creative on a line as it was asked for, and the share that was written for it. */
export interface WrittenAssociation extends Omit<Association, 'creativeExternalId'> {
  readonly share: number
}

/** A creative as it was written. */
export interface CreativeMemo {
  /** Of its content. */
  readonly version: string
  /** Its members at the network after it was written; undefined while no answer said whether it was made. */
  readonly written?: Written
  /** Why the network does not take it. */
  readonly refused?: string
}

/** `name`: its resource name; undefined while no answer said whether it was made. */
export type Remembered<M> = M & { readonly name: string | undefined }

/** All that is remembered of an order. */
export interface Recalled {
  readonly order: Remembered<OrderMemo> | undefined
  /** By our id. */
  readonly lines: ReadonlyMap<string, Remembered<LineMemo>>
  /** Kinds and our ids of what a person said is to be made anew. */
  readonly anew: ReadonlySet<string>
}

/** What is remembered of the orders of a network. */
export interface GamMemory {
  recall(key: OrderKey): Promise<Recalled>
  saveOrder(key: OrderKey, order: Remembered<OrderMemo>): Promise<void>
  saveLine(key: OrderKey, externalId: string, line: Remembered<LineMemo>): Promise<void>
  /** Creatives of an order, by our id. */
  creatives(key: OrderKey): Promise<ReadonlyMap<string, Remembered<CreativeMemo>>>
  saveCreative(key: OrderKey, externalId: string, creative: Remembered<CreativeMemo>): Promise<void>
  known: IdMemory['known']
}

export function gamMemory(ids: IdMemory): GamMemory {
  return {
    async recall(key) {
      const all = await ids.list(key)
      const order = all.find(({ kind, memo }) => kind === 'order' && memo !== undefined)
      const lines = all.filter(({ kind, memo }) => kind === 'line' && memo !== undefined)
      return {
        order: order && read<OrderMemo>(order),
        lines: new Map(lines.map((line) => [line.externalId, read<LineMemo>(line)])),
        anew: new Set(all.filter(({ version }) => version === MADE_ANEW).map(({ kind, externalId }) => `${kind} ${externalId}`)),
      }
    },
    saveOrder: (key, { name, ...memo }) => ids.save(key, entryOf('order', key.externalId, name, memo)),
    saveLine: (key, externalId, { name, ...memo }) => ids.save(key, entryOf('line', externalId, name, memo)),
    async creatives(key) {
      const all = (await ids.list(key)).filter(({ kind }) => kind === 'creative')
      return new Map(all.map((creative) => [creative.externalId, { ...read<CreativeMemo>(creative), version: creative.version }]))
    },
    saveCreative: (key, externalId, { name, version, ...memo }) =>
      ids.save(key, { ...entryOf('creative', externalId, name, memo), version }),
    known: ids.known,
  }
}

function read<M>({ theirId, memo = '{}' }: RememberedId): Remembered<M> {
  const own: M = JSON.parse(memo)
  return { ...own, name: theirId === '' ? undefined : theirId }
}

function entryOf(kind: RememberedId['kind'], externalId: string, name: string | undefined, memo: object): RememberedId {
  return { kind, externalId, theirId: name ?? '', version: '', memo: JSON.stringify(memo) }
}
