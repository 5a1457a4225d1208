import type { ConversationOffering, OfferedProduct } from '../../domain/brand/brands-file.ts'

/** One step of a conversation as a brand's voice hears it. Nothing in it says who the user is. */
export interface Turn {
  readonly brandName: string
  readonly offering: ConversationOffering | undefined
  /** What the user wants or says; undefined when they pressed something. */
  readonly text: string | undefined
  /** What the user pressed: the action of a button or card. */
  readonly action: string | undefined
  /** Whether this is the first word of the conversation. */
  readonly isOpening: boolean
  /** Products that the user was shown last, in their order. */
  readonly shown: readonly OfferedProduct[]
  /** The product that the talk is about. */
  readonly wanted: OfferedProduct | undefined
}

/** What the brand answers. */
export interface Reply {
  readonly message: string
  /** Products to show, in their order. */
  readonly products: readonly OfferedProduct[]
  /** The product that the talk is about from now on. */
  readonly wanted?: OfferedProduct | undefined
  /** The brand is done: `transaction`: the user wants to buy; `complete`: there is nothing left to say. */
  readonly handoff?: 'transaction' | 'complete'
}

/** The voice of a brand in sponsored conversations. */
export interface SiHost {
  readonly name: string
  /** Says what it is, and what it is not. */
  readonly description: string
  /** Whether no real conversation is behind it. */
  readonly simulated: boolean
  /** May be asked again for the same turn: an answer without an effect outside. */
  reply(turn: Turn): Promise<Reply>
}
