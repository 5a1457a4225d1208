import { imageSize } from 'image-size'
import type { Decoder } from './decoders.ts'

/** The bytes of an image. */
export interface ImageInput {
  readonly bytes: Uint8Array
}

/** Pixels of an image. */
export interface ImagePixels {
  readonly width: number
  readonly height: number
}

/** Width and height of an image, from its headers. */
export const imagePixels: Decoder<ImageInput, ImagePixels> = async function* ({ bytes }) {
  const { width, height } = imageSize(bytes)
  yield { width, height }
}
