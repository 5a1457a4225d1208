import { type KeywordRule, keywordTest, readWords } from '../../keyword-match.ts'
import { isRunning, type MatchPackage, packagesOfSeller } from '../match-package.ts'
import type { ContextRequest } from './context-messages.ts'

/** What a package asks of a context. A list that is absent asks nothing. */
export interface ContextRules {
  /** Ids of placements. */
  readonly placements?: readonly string[]
  /** property_rids. */
  readonly properties?: readonly string[]
  /** ISO 3166-1 alpha-2, and ISO 3166-2. */
  readonly countries?: readonly string[]
  readonly countriesExcluded?: readonly string[]
  readonly regions?: readonly string[]
  readonly regionsExcluded?: readonly string[]
  /** ISO 639-1. */
  readonly languages?: readonly string[]
  /** Topics of the taxonomy that pages send. */
  readonly topics?: readonly string[]
  readonly topicsExcluded?: readonly string[]
  readonly keywords?: readonly KeywordRule[]
  readonly keywordsExcluded?: readonly KeywordRule[]
  /** Policies that the content has to satisfy, all of them. */
  readonly policies?: readonly string[]
}

export interface ContextPackage extends MatchPackage {
  readonly context: ContextRules
}

/**
 * The packages that fit a context. A dimension that the request says nothing about fits no inclusion and every exclusion: what a buyer asked for is never
 * guessed. The same for every user.
 */
export function offeredPackages(
  packages: readonly ContextPackage[],
  request: ContextRequest,
  now: Date,
): readonly ContextPackage[] {
  const fits = contextTest(request)
  return packagesOfSeller(packages, request).filter((each) => isRunning(each, now) && fits(each.context))
}

function contextTest({ placement_id, property_rid, geo = {}, context_signals: signals = {} }: ContextRequest) {
  const topics = new Set(signals.topics)
  const policies = new Set(signals.content_policies)
  const keywords = readWords(signals.keywords ?? [])
  const isIn = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || (value !== undefined && list.includes(value))
  const isNotIn = (list: readonly string[] = [], value: string | undefined) => value === undefined || !list.includes(value)
  return (rules: ContextRules): boolean =>
    isIn(rules.placements, placement_id) &&
    isIn(rules.properties, property_rid) &&
    isIn(rules.countries, geo.country) &&
    isNotIn(rules.countriesExcluded, geo.country) &&
    isIn(rules.regions, geo.region) &&
    isNotIn(rules.regionsExcluded, geo.region) &&
    isIn(rules.languages, signals.language) &&
    (rules.topics?.some((topic) => topics.has(topic)) ?? true) &&
    !(rules.topicsExcluded?.some((topic) => topics.has(topic)) ?? false) &&
    (!rules.keywords || keywordTest(rules.keywords)(keywords)) &&
    !(rules.keywordsExcluded && keywordTest(rules.keywordsExcluded)(keywords)) &&
    (rules.policies?.every((policy) => policies.has(policy)) ?? true)
}
