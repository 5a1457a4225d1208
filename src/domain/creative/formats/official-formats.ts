import { canonicalAgentUrl, type FormatKey } from './format-id.ts'
import { standardFormatIds } from './standard-formats.ts'

/** The protocol's reference creative agent, which defines the official formats of 3.x, and an older address of it. */
const OFFICIAL_AGENT = 'https://creative.adcontextprotocol.org/'
const OFFICIAL_AGENTS: ReadonlySet<string> = new Set(['https://creative.adcontextprotocol.org', 'https://adcontextprotocol.org'])

/**
 * The official format that takes the same files as a standard format of this agent, by its id. Templates are written with their parameters:
 * `display_js 300x250`, `video_standard 15000ms`. Each standard format has one of its own, so that ids are unique.
 */
const OFFICIAL: readonly (readonly [own: RegExp, official: string])[] = [
  [/^display_(\d+x\d+)$/, 'display_$1_image'],
  [/^display_(\d+x\d+)_html5$/, 'display_$1_html'],
  [/^display_(\d+x\d+)_tag$/, 'display_js $1'],
  [/^(display_\d+x\d+_generative|broadcast_spot_\d+s|native_content)$/, '$1'],
  [/^native_feed$/, 'native_standard'],
  [/^(video|audio)_(\d+s)$/, '$1_standard_$2'],
  [/^preroll_(\d+)s$/, 'video_standard $1000ms'],
  [/^ssai_(\d+)s$/, 'video_1920x1080 $1000ms'],
  [/^vast_(\d+)s$/, 'video_vast $1000ms'],
  [/^ctv_vast_(\d+)s$/, 'video_vast 1920x1080 $1000ms'],
  [/^dooh_landscape_1920x1080$/, 'dooh_billboard_1920x1080'],
  [/^dooh_portrait_1080x1920$/, 'dooh_billboard_portrait 1080x1920'],
  [/^dooh_landscape_video_10s$/, 'video_1920x1080 10000ms'],
  [/^dooh_portrait_video_10s$/, 'video_1080x1920 10000ms'],
  [/^social_image_square$/, 'display_image 1080x1080'],
  [/^social_story_video_15s$/, 'video_1080x1920 15000ms'],
]

/** Further official formats whose files a standard format takes. */
const ALSO: readonly (readonly [official: RegExp, own: string])[] = [
  [/^display_(\d+x\d+)$/, 'display_$1'],
  [/^display_(?:image|static) (\d+x\d+)$/, 'display_$1'],
  [/^display_html (\d+x\d+)$/, 'display_$1_html5'],
  [/^display_generative (\d+x\d+)$/, 'display_$1_generative'],
  [/^video_vast_(\d+s)$/, 'vast_$1'],
  [/^video_ctv_(?:preroll|midroll)_(\d+s)$/, 'ssai_$1'],
  [/^(audio_\d+s)$/, '$1'],
  [/^dooh_transit_screen$/, 'dooh_landscape_1920x1080'],
]

const OWN_OF_OFFICIAL: ReadonlyMap<string, string> = new Map(
  [...standardFormatIds].flatMap((own): [string, string][] => {
    const official = replaced(own, OFFICIAL)
    return official === undefined ? [] : [[official, own]]
  }),
)

/** The official format that represents a standard format of this agent; undefined where none takes the same files. */
export function officialReference(ownId: string): FormatKey | undefined {
  const official = standardFormatIds.has(ownId) ? replaced(ownId, OFFICIAL) : undefined
  return official === undefined ? undefined : { agent_url: OFFICIAL_AGENT, ...parsed(official) }
}

/**
 * A reference to an official format as one to the standard format of the agent at `agentUrl` that takes the same files; any other reference
 * as it is.
 */
export function ownReference(wanted: FormatKey, agentUrl: string): FormatKey {
  if (!OFFICIAL_AGENTS.has(canonicalAgentUrl(wanted.agent_url))) return wanted
  const official = written(wanted)
  const id = OWN_OF_OFFICIAL.get(official) ?? replaced(official, ALSO)
  return id !== undefined && standardFormatIds.has(id) ? { agent_url: agentUrl, id } : wanted
}

/** The official format by which clients can look up a format of this agent: as it was given, or the one that takes the same files; undefined for none. */
export function officialName(format: FormatKey, agentUrl: string): FormatKey | undefined {
  return equalReferences(format, agentUrl).find(({ agent_url }) => OFFICIAL_AGENTS.has(canonicalAgentUrl(agent_url)))
}

/** Every reference that means the same format: as it was given, under this agent, and under the official one. */
export function equalReferences(format: FormatKey, agentUrl: string): FormatKey[] {
  const own = ownReference(format, agentUrl)
  const isOwn = canonicalAgentUrl(own.agent_url) === canonicalAgentUrl(agentUrl)
  const official = isOwn ? officialReference(own.id) : undefined
  return [format, ...(own === format ? [] : [own]), ...(official ? [official] : [])]
}

function replaced(text: string, rules: readonly (readonly [RegExp, string])[]): string | undefined {
  const rule = rules.find(([pattern]) => pattern.test(text))
  return rule && text.replace(rule[0], rule[1])
}

function written({ id, width, height, duration_ms }: FormatKey): string {
  const size = width !== undefined && height !== undefined ? [`${width}x${height}`] : []
  return [id, ...size, ...(duration_ms === undefined ? [] : [`${duration_ms}ms`])].join(' ')
}

function parsed(official: string): Omit<FormatKey, 'agent_url'> {
  const [, id = '', width, height, length] = /^(\S+)(?: (\d+)x(\d+))?(?: (\d+)ms)?$/.exec(official) ?? []
  return {
    id,
    ...(width !== undefined && height !== undefined && { width: Number(width), height: Number(height) }),
    ...(length !== undefined && { duration_ms: Number(length) }),
  }
}
