import type { DecodeLimit } from './decode-fault.ts'
import type { DecoderName } from './decoders.ts'

/** What the server sends to a decoding thread: a document, and that a part was taken over. */
export type ToThread =
  | { readonly kind: 'decode'; readonly decoder: DecoderName; readonly input: unknown }
  | { readonly kind: 'next' }

/** What a decoding thread answers: parts, then the end or a fault. */
export type FromThread =
  | { readonly kind: 'part'; readonly part: unknown }
  | { readonly kind: 'done' }
  | { readonly kind: 'fault'; readonly limit: DecodeLimit; readonly message: string; readonly line: number | undefined }
