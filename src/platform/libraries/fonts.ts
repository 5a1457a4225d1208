import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The font of documents: DejaVu Sans, which has the Latin, Greek and Cyrillic letters of names. Not compressed: the library would unpack it for every letter. */
const FILES = { plain: 'DejaVuSans.ttf', bold: 'DejaVuSans-Bold.ttf' } as const

export type FontWeight = keyof typeof FILES
export const FONT_WEIGHTS: readonly FontWeight[] = ['plain', 'bold']

/** The file of a font: beside this module in the built program, in its package otherwise. */
export function fontFile(weight: FontWeight): string {
  const name = FILES[weight]
  const built = fileURLToPath(new URL(name, import.meta.url))
  return existsSync(built) ? built : createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`)
}
