import { wordsOf } from '../../domain/registry/agent-profile.ts'
import { mainType } from '../../domain/registry/present-agent.ts'
import type { Db } from '../../store/database.ts'
import { countInventory } from '../../store/directory/directory-snapshot.ts'
import type { RegistryAgentRow } from '../../store/registry/rows.ts'

/**
 * Agents in the form of a search by inventory profile (AdCP registry, agents/search). Dimensions that no file or agent declares to a
 * directory (markets, categories, tags, TMP support) are empty or false, because the form requires them; no taxonomy is named without categories.
 */
export async function presentProfiles(
  db: Db,
  agents: readonly RegistryAgentRow[],
  filters: readonly string[],
): Promise<readonly object[]> {
  const profiles: object[] = []
  for (const agent of agents) {
    const { publishers, properties } = await countInventory(db, agent.agent_id)
    const channels = wordsOf(JSON.parse(agent.channels))
    const profile = {
      channels,
      property_types: [],
      markets: [],
      categories: [],
      category_taxonomy: null,
      tags: [],
      delivery_types: [],
      property_count: properties,
      publisher_count: publishers,
      has_tmp: false,
    }
    profiles.push({
      ...profile,
      url: agent.agent_url,
      agent_url: agent.agent_url,
      name: agent.name ?? agent.agent_url,
      type: mainType(JSON.parse(agent.types)),
      inventory_profile: profile,
      match: { score: 1, matched_filters: filters },
      relevance_score: 1,
      matched_filters: filters,
      updated_at: agent.checked_at ?? agent.added_at,
    })
  }
  return profiles
}
