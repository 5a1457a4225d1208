import { audioFormats } from './audio-formats.ts'
import { displayFormats } from './display-formats.ts'
import { type CatalogFormat, ownFormat } from './format.ts'
import { generativeFormats } from './generative-formats.ts'
import { screenFormats } from './screen-formats.ts'
import { videoFormats } from './video-formats.ts'

const SPECS = [...displayFormats, ...generativeFormats, ...videoFormats, ...audioFormats, ...screenFormats]

/** Ids of the standard formats, as products name them in short. */
export const standardFormatIds: ReadonlySet<string> = new Set(SPECS.map((spec) => spec.id))

/** Every standard creative format, owned by the agent at `agentUrl` (AdCP core/format.json objects). */
export function standardFormats(agentUrl: string): CatalogFormat[] {
  return SPECS.map((spec) => ownFormat(spec, agentUrl, true))
}
