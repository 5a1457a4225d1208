import { ownValue } from '../own-value.ts'
import { stem } from './brief-terms.ts'

/**
 * What a word of a brief also asks for. Terms with a colon are indexed for each product from its own members: `channel:`, `delivery:` and `pricing:`
 * (AdCP enums/channels, core/product.json, pricing-options).
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  tv: ['channel:ctv', 'channel:linear_tv'],
  television: ['channel:ctv', 'channel:linear_tv'],
  ctv: ['channel:ctv'],
  ott: ['channel:ctv'],
  stream: ['channel:ctv', 'channel:streaming_audio'],
  broadcast: ['channel:linear_tv'],
  primetime: ['channel:linear_tv'],
  linear: ['channel:linear_tv'],
  video: ['channel:olv', 'channel:ctv'],
  olv: ['channel:olv'],
  preroll: ['channel:olv'],
  outstream: ['channel:olv'],
  display: ['channel:display'],
  banner: ['channel:display'],
  native: ['channel:display'],
  audio: ['channel:streaming_audio', 'channel:podcast', 'channel:radio'],
  radio: ['channel:streaming_audio', 'channel:radio'],
  music: ['channel:streaming_audio'],
  headphone: ['channel:streaming_audio', 'channel:podcast'],
  podcast: ['channel:podcast'],
  dooh: ['channel:dooh', 'channel:ooh'],
  ooh: ['channel:dooh', 'channel:ooh'],
  billboard: ['channel:dooh', 'channel:ooh'],
  poster: ['channel:dooh', 'channel:ooh'],
  screen: ['channel:dooh', 'channel:ctv'],
  social: ['channel:social'],
  feed: ['channel:social'],
  search: ['channel:search'],
  newsletter: ['channel:email'],
  email: ['channel:email'],
  game: ['channel:gaming'],
  cinema: ['channel:cinema'],
  print: ['channel:print'],
  retail: ['channel:retail_media'],
  guarante: ['delivery:guaranteed'],
  reserve: ['delivery:guaranteed'],
  auction: ['delivery:non_guaranteed'],
  programmatic: ['delivery:non_guaranteed'],
  bid: ['delivery:non_guaranteed'],
  sla: ['guarante'],
  click: ['pricing:cpc'],
  cpc: ['pricing:cpc'],
  lead: ['pricing:cpa'],
  cpa: ['pricing:cpa'],
  cpl: ['pricing:cpa'],
  signup: ['pricing:cpa'],
  cpcv: ['pricing:cpcv'],
  cpv: ['pricing:cpv'],
  grp: ['pricing:cpp'],
  trp: ['pricing:cpp'],
}

/**
 * Words that are near in meaning: of media, of audiences and of subjects. A product that has only one of the others is nearer to a brief than one that has
 * none of them.
 */
const RELATED: readonly (readonly string[])[] = [
  'commuter commute transit station rush drivetime',
  'morning breakfast briefing',
  'evening primetime night tonight',
  'late latenight fringe',
  'food recipe cook kitchen grocery meal restaurant menu snack fmcg cpg gastronomy culinary bake',
  'menu catalog dynamic',
  'finance financial business investor invest market wealth bank b2b economy economic stock ledger entrepreneur executive',
  'business b2b executive ceo manager professional enterprise',
  'income affluent wealthy luxury',
  'news politic political politically election policy current journalism headline',
  'sport football basketball soccer match league athletic fan baseball hockey tennis score',
  'outdoor hike hiker camp camper trail climb mountain nature adventure expedition gear trailhead wilderness',
  'travel trip tourist tourism vacation',
  'family parent kid child children mother father mum mom',
  'student study university college',
  'fitness workout gym exercis',
  'app mobile phone smartphone iphone android handheld',
  'young youth genz millennial teen student 18-34',
  'sponsorship sponsor takeover roadblock exclusive exclusivity',
  'homepage frontpage',
  'household home',
  'city urban downtown waterfront',
  'series drama film movie fiction',
  'documentary film',
  'community social forum member',
  'native sponsored advertorial storytell article story',
  'cheap cheapest lowest auction affordable inexpensive',
  'reach awareness',
  'lead conversion acquisition performance',
  'click traffic performance visit',
  'host endorsement influencer',
  'highlight match live',
  'viewable viewability',
  'measurement verification measured',
  'article outstream',
  'vertical story',
].map((group) => group.split(' ').map(stem))

const RELATED_OF: ReadonlyMap<string, readonly string[]> = relatedByWord()

function relatedByWord(): ReadonlyMap<string, readonly string[]> {
  const related = new Map<string, Set<string>>()
  for (const group of RELATED) {
    for (const word of group) {
      const all = related.get(word) ?? new Set()
      for (const other of group) if (other !== word) all.add(other)
      related.set(word, all)
    }
  }
  return new Map([...related].map(([word, others]) => [word, [...others]]))
}

/** What else a stem asks for. */
export function synonymsOf(term: string): readonly string[] {
  return ownValue(SYNONYMS, term) ?? []
}

/** Stems that are near to one in meaning. */
export function relatedTo(term: string): readonly string[] {
  return RELATED_OF.get(term) ?? []
}
