import type { DecodeLimit } from './decode-fault.ts'
import type { DecoderName } from './decoders.ts'

/** What the server sends to a decoding thread: a document, and that items were taken over. */
export type ToThread =
  | { readonly kind: 'decode'; readonly decoder: DecoderName; readonly input: unknown }
  | { readonly kind: 'next' }

/** What a decoding thread answers: items in groups, then the end or a fault. */
export type FromThread =
  | { readonly kind: 'items'; readonly items: readonly unknown[] }
  | { readonly kind: 'done' }
  | { readonly kind: 'fault'; readonly limit: DecodeLimit; readonly message: string; readonly line: number | undefined }
