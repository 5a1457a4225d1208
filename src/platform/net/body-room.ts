import { addressBucket } from './client-address.ts'

/** Who sends a body: a person or a seller that has proved who it is, else the address that the body comes from. */
export interface BodySender {
  readonly kind: 'person' | 'seller' | 'address'
  readonly id: string
}

/** The sender of a request that proves nothing before its body is read. */
export function senderAt(address: string | undefined): BodySender {
  return { kind: 'address', id: addressBucket(address ?? '') }
}

/** Why there is no room: all of it is taken, or the share of one sender. */
export type RoomLimit = 'all' | BodySender['kind']

export interface RoomBounds {
  /** Bytes of all large bodies together. */
  readonly inAll: number
  /** Bytes of the large bodies of one sender. */
  readonly ofSender: number
  /** Bytes of all small bodies together. */
  readonly small: number
}

/** All together: room for 32 bodies of the largest default size, for eight of the largest. A sender: two of the largest. Small ones: four thousand. */
const BOUNDS: RoomBounds = { inAll: 128 * 1024 * 1024, ofSender: 32 * 1024 * 1024, small: 64 * 1024 * 1024 }

/**
 * A body of this size is small: that is what nearly every call has, and what the headers of a request may take as well. Small bodies have room of their own, so
 * that senders of large ones keep no other caller out.
 */
export const SMALL_BYTES = 16 * 1024

/** Bytes that bodies which have not arrived yet hold in memory. */
export class BodyRoom {
  readonly #bounds: RoomBounds
  readonly #ofSenders = new Map<string, number>()
  #large = 0
  #small = 0
  /** How often there was no room, by limit; `size`: bodies that are larger than their address takes. */
  readonly refusals = new Map<RoomLimit | 'size', number>()

  constructor(bounds = BOUNDS) {
    this.#bounds = bounds
  }

  /** The place of one body, which holds nothing yet. */
  place({ kind, id }: BodySender): BodyPlace {
    const sender = `${kind} ${id}`
    let small = 0
    let large = 0
    const leaveSmall = () => {
      this.#small -= small
      small = 0
    }
    return {
      grow: (bytes) => {
        if (bytes <= SMALL_BYTES && large === 0 && this.#small + bytes - small <= this.#bounds.small) {
          this.#small += bytes - small
          small = bytes
          return undefined
        }
        const more = bytes - large
        const own = (this.#ofSenders.get(sender) ?? 0) + more
        if (own > this.#bounds.ofSender) return this.refused(kind)
        if (this.#large + more > this.#bounds.inAll) return this.refused('all')
        this.#ofSenders.set(sender, own)
        this.#large += more
        large = bytes
        leaveSmall()
        return undefined
      },
      leave: () => {
        leaveSmall()
        if (large === 0) return
        const own = (this.#ofSenders.get(sender) ?? 0) - large
        if (own === 0) this.#ofSenders.delete(sender)
        else this.#ofSenders.set(sender, own)
        this.#large -= large
        large = 0
      },
    }
  }

  /** Counts a refusal. */
  refused<Limit extends RoomLimit | 'size'>(limit: Limit): Limit {
    this.refusals.set(limit, (this.refusals.get(limit) ?? 0) + 1)
    return limit
  }
}

export interface BodyPlace {
  /** Holds so many bytes in all, no fewer than before; or says why not, and holds what it held. */
  grow(bytes: number): RoomLimit | undefined
  /** Gives everything back. */
  leave(): void
}

/** Of the process, as its memory is: no body is read without a place in it. */
export const BODY_ROOM = new BodyRoom()
