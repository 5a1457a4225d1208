/**
 * The script that pages load from a router: `<script src="…/tmp.js" data-key="KEY FOR PAGES" data-property="UUID" data-seller="URL"></script>`, with
 * `data-identity="https://…"` where users are matched by another host, so that no connection carries both questions. `adcpMatch(opportunity)` asks both and joins the
 * answers here; nobody else sees them together. Which goes first is chance, the other follows after 100 to 2,000 ms (specification, "Temporal decorrelation"); their
 * ids have nothing in common, no packages are named, and neither request says what page it comes from. Nothing is stored. With `data-rotate="day"` only the
 * publisher's own tokens are sent, as a token of the day: who holds both logs cannot add up the visits of a user over days. With `data-first="context"` the first
 * view of each place in a page asks about the context alone, and so waits for no delay.
 */
export const PAGE_SCRIPT = `(() => {
  'use strict'
  const script = document.currentScript
  if (!script) return
  const { key, property, seller, identity, tag, publisher, rotate, first } = script.dataset
  const here = new URL(script.src).origin
  const own = (map, name) => (map && Object.hasOwn(map, name) ? map[name] : undefined)
  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const newId = () => hex(crypto.getRandomValues(new Uint8Array(16)))
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

  const ask = async (url, message) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
      const value = answer.ok ? await answer.json() : undefined
      return value && value.type !== 'error' ? value : undefined
    } catch {
      return undefined
    }
  }
  const askContext = ({ placementId, propertyType, contextSignals, artifactRefs, geo }) =>
    ask(here + '/context', {
      type: 'context_match_request',
      request_id: newId(),
      property_rid: property,
      property_type: propertyType || 'website',
      placement_id: placementId,
      seller_agent_url: seller,
      context_signals: contextSignals,
      artifact_refs: artifactRefs,
      geo,
    })
  const askIdentity = ({ identities, consent, country }) =>
    ask((identity || here) + '/identity', {
      type: 'identity_match_request',
      request_id: newId(),
      seller_agent_url: seller,
      identities,
      consent,
      country,
    })

  // Days are of UTC. What is hashed never leaves the page, so that a token says nothing of those of other days and sellers.
  const tokenOfDay = async (token) => {
    const text = [new Date(Date.now()).toISOString().slice(0, 10), seller, token].join('\\n')
    return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
  }
  const identitiesToSend = async (identities) => {
    if (rotate === undefined) return identities
    const ours = identities.filter(({ uid_type: type }) => type === 'publisher_first_party')
    // Without the means to rotate, or with a period that is unknown, no token is sent rather than a lasting one.
    if (rotate !== 'day' || !crypto.subtle) return []
    return Promise.all(ours.map(async ({ user_token: token, uid_type }) => ({ user_token: await tokenOfDay(token), uid_type })))
  }

  const targetingOf = (answer, mapping) => {
    const targeting = {}
    for (const [provider, bucket] of Object.entries(answer.signals_by_provider || {}))
      for (const { key: name, value } of bucket.targeting_kvs) {
        const destination = own(own(mapping, provider), name)
        if (destination !== undefined) (targeting[destination] ||= []).push(value)
      }
    return targeting
  }
  const tokensOf = (answer, mapping) => {
    const tokens = {}
    for (const [provider, { chunks }] of Object.entries(answer.tmpx_providers || {})) {
      const slots = own(mapping, provider)
      if (!chunks.every(({ slot_id: slot }) => own(slots, slot) !== undefined)) {
        console.warn('tmp: tokens of provider ' + provider + ' have no place in tmpxMapping')
        continue
      }
      for (const { slot_id: slot, value } of chunks) tokens[own(slots, slot)] = value
    }
    return tokens
  }

  const loadTag = () => {
    if (!tag || document.querySelector('script[data-adcp-tag]')) return
    const made = document.createElement('script')
    made.async = true
    made.src = tag
    made.dataset.publisher = publisher
    made.dataset.adcpTag = ''
    document.head.append(made)
  }
  const handOver = (placementId, { packageIds, targeting, tokens }) => {
    const ads = (window.adcpAds ||= {})
    ads.keyValues = { ...ads.keyValues, ...targeting, adcp_pkg: packageIds }
    ads.packages = { ...ads.packages, [placementId]: packageIds }
    ads.tokens = { ...ads.tokens, ...tokens }
    loadTag()
  }

  const viewed = new Set()
  const isFirstView = (placementId) => !viewed.has(placementId) && viewed.add(placementId)

  window.adcpMatch = async (opportunity) => {
    const { consent, targetingMapping, tmpxMapping } = opportunity
    const contextAlone = first === 'context' && isFirstView(opportunity.placementId)
    const identities = consent === undefined || contextAlone ? [] : await identitiesToSend(opportunity.identities || [])
    const mayAsk = identities.length > 0 && consent !== undefined
    const contextFirst = Math.random() < 0.5
    const delay = 100 + Math.random() * 1900
    const after = async (isFirst, question) => {
      if (!isFirst) await wait(delay)
      return question({ ...opportunity, identities })
    }
    const [context, user] = await Promise.all([
      after(contextFirst || !mayAsk, askContext),
      mayAsk ? after(!contextFirst, askIdentity) : undefined,
    ])
    const offers = context ? context.offers : []
    const eligible = new Set(user ? user.eligible_package_ids : [])
    const joined = mayAsk ? offers.filter((offer) => eligible.has(offer.package_id)) : offers
    const result = {
      winner: joined[0],
      offers: joined,
      packageIds: joined.map((offer) => offer.package_id),
      targeting: context ? targetingOf(context, targetingMapping) : {},
      tokens: user ? tokensOf(user, tmpxMapping) : {},
    }
    handOver(opportunity.placementId, result)
    return result
  }
})()
`
