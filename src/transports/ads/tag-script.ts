/**
 * The script that pages load: `<script async src="…/ads/tag.js" data-publisher="ID"></script>`, and for each place
 * `<div data-ad="PLACE" data-sizes="970x250,300x250"></div>`. It sets no cookies, asks when a place comes near the window (all
 * places of that moment together), builds elements without markup of others, and puts code of advertisers into frames without an origin.
 * A place that gets no ad collapses when it lies below the visible part of the page, where that moves nothing. `data-label` is written above each ad, and `data-refresh` (seconds) asks again
 * once the ad was viewable for so long. What the page says of itself and the server refuses is left out, and said in the browser's console: a wrong value costs no ads.
 * Events that are not answered are sent again, at most twelve times within nine minutes; with consent to storage (purpose 1, or no GDPR) twenty of them are kept in `localStorage` for the next page.
 * A page that is opened with `?adcp_preview=TOKEN` shows the creative of that link. Viewable is what the MRC says: half of the pixels (30 % from 242,500 pixels on) for one second.
 */
export const TAG_SCRIPT = `(() => {
  'use strict'
  const script = document.currentScript
  if (!script) return
  const origin = new URL(script.src).origin
  const publisher = script.dataset.publisher
  const settings = Object.assign({}, window.adcpAds)
  const known = new WeakSet()
  let near = []
  let timer

  const STORED = 'adcp-ads-events'
  const beacons = new Map()
  let mayStore
  const store = () => {
    if (mayStore === undefined) return
    try {
      const kept = mayStore ? [...beacons].filter(([, beacon]) => beacon.tries > 0).slice(-20).map(([url, { until }]) => [url, until]) : []
      if (kept.length > 0) localStorage.setItem(STORED, JSON.stringify(kept))
      else localStorage.removeItem(STORED)
    } catch {}
  }
  const send = (url) => {
    const beacon = beacons.get(url)
    clearTimeout(beacon.timer)
    const done = () => { if (beacons.delete(url) && beacon.tries > 0) store() }
    fetch(url, { method: 'POST', credentials: 'omit', keepalive: true }).then(({ status }) => {
      if (status === 429 || status >= 500) throw new Error('status ' + status)
      done()
    }).catch(() => {
      if (beacons.get(url) !== beacon) return
      beacon.tries += 1
      if (beacon.tries >= 12 || Date.now() > beacon.until) return done()
      clearTimeout(beacon.timer)
      beacon.timer = setTimeout(send, Math.min(500 * 2 ** beacon.tries, 60000) * (0.5 + Math.random() / 2), url)
      store()
    })
  }
  const call = (url, until = Date.now() + 540000) => {
    if (beacons.has(url) || beacons.size >= 100) return
    beacons.set(url, { tries: 0, until })
    send(url)
  }
  // The last chance of this page, and a network that is back.
  const sendWaiting = () => { for (const [url, { tries }] of beacons) if (tries > 0) send(url) }
  addEventListener('pagehide', sendWaiting)
  addEventListener('online', sendWaiting)
  const allowStorage = (allowed) => {
    const isFirst = mayStore !== true
    mayStore = allowed && !navigator.globalPrivacyControl
    if (mayStore && isFirst) {
      try {
        for (const [url, until] of JSON.parse(localStorage.getItem(STORED) || '[]').slice(0, 20))
          if (String(url).startsWith(origin + '/ads/e/') && until > Date.now() && until < Date.now() + 600000) call(url, until)
      } catch {}
    }
    store()
  }

  const consent = new Promise((resolve) => {
    const said = Object.assign({}, settings.consent)
    let open = 0
    if (said.gdpr === false) allowStorage(true)
    const heard = () => { open -= 1; if (open === 0) resolve(said) }
    if (typeof window.__tcfapi === 'function') {
      open += 1
      window.__tcfapi('addEventListener', 2, (data, ok) => {
        if (!ok || data.eventStatus === 'cmpuishown') return
        said.gdpr = data.gdprApplies !== false
        if (data.tcString) said.tcf = data.tcString
        allowStorage(said.gdpr === false || (data.purpose && data.purpose.consents && data.purpose.consents[1]) === true)
        heard()
      })
    }
    if (typeof window.__gpp === 'function') {
      open += 1
      window.__gpp('ping', (data, ok) => { if (ok && data.gppString) said.gpp = data.gppString; heard() })
    }
    if (open === 0) resolve(said)
    else setTimeout(() => resolve(said), 1000)
  })

  const element = (name, className, text) => {
    const made = document.createElement(name)
    made.className = className
    if (text !== undefined) made.textContent = text
    return made
  }
  const pixels = (urls) => { for (const url of urls || []) new Image().src = url }
  const link = (ad) => {
    const made = document.createElement(ad.click_url ? 'a' : 'div')
    if (ad.click_url) { made.href = ad.click_url; made.target = '_blank'; made.rel = 'noopener sponsored' }
    if (ad.click_trackers) made.addEventListener('click', () => pixels(ad.click_trackers))
    return made
  }
  const picture = (url, alt) => {
    const made = new Image()
    made.alt = alt || ''
    made.referrerPolicy = 'no-referrer'
    made.src = url
    return made
  }

  const watch = (shown, ad, viewed) => {
    const share = shown.offsetWidth * shown.offsetHeight >= 242500 ? 0.3 : 0.5
    let seen
    const observer = new IntersectionObserver(([entry]) => {
      clearTimeout(seen)
      if (entry.intersectionRatio < share) return
      seen = setTimeout(() => {
        if (document.visibilityState !== 'visible') return
        observer.disconnect()
        call(ad.events.viewable)
        pixels(ad.view_trackers)
        viewed()
      }, 1000)
    }, { threshold: share })
    observer.observe(shown)
  }
  const begun = (place, shown, ad) => {
    place.dataset.adState = 'shown'
    call(ad.events.impression)
    pixels(ad.trackers)
    watch(shown, ad, () => refreshed(place))
  }

  const show = {
    image(place, ad) {
      const box = link(ad)
      const image = picture(ad.image.url, ad.image.alt)
      if (ad.width) { image.width = ad.width; image.height = ad.height }
      image.style.cssText = 'border:0;display:block;max-width:100%'
      image.addEventListener('load', () => begun(place, image, ad), { once: true })
      image.addEventListener('error', () => { place.dataset.adState = 'failed'; place.replaceChildren() }, { once: true })
      box.append(image)
      return box
    },
    frame(place, ad) {
      const frame = document.createElement('iframe')
      frame.title = labelOf(place) || 'Advertisement'
      frame.sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox'
      frame.referrerPolicy = 'no-referrer'
      frame.width = ad.width
      frame.height = ad.height
      frame.style.cssText = 'border:0;display:block'
      frame.addEventListener('load', () => begun(place, frame, ad), { once: true })
      frame.src = ad.frame_url
      return frame
    },
    native(place, ad) {
      const { title, body, cta, sponsor, image } = ad.native
      const card = link(ad)
      card.className = 'ad-native'
      if (image) card.append(picture(image, ''))
      if (sponsor) card.append(element('span', 'ad-native-sponsor', sponsor))
      card.append(element('strong', 'ad-native-title', title))
      if (body) card.append(element('p', 'ad-native-body', body))
      if (cta) card.append(element('span', 'ad-native-cta', cta))
      setTimeout(() => begun(place, card, ad))
      return card
    },
  }

  const sizesOf = (place) => {
    const all = (place.dataset.sizes || '').split(',').map((size) => size.trim()).filter(Boolean)
    const fitting = all.filter((size) => place.clientWidth === 0 || parseInt(size, 10) <= place.clientWidth)
    return fitting.length > 0 ? fitting : all
  }

  const labelOf = (place) => place.dataset.label ?? script.dataset.label
  const LABEL_HEIGHT = 16
  const labelled = (place, ad) => {
    const text = labelOf(place)
    if (!text) return [ad]
    const label = element('div', 'ad-label', text)
    label.style.cssText = 'font:11px/' + LABEL_HEIGHT + 'px sans-serif;height:' + LABEL_HEIGHT + 'px;overflow:hidden'
    return [label, ad]
  }
  // Collapsing moves what follows: only below the visible part of the page.
  const withoutAd = (place) => {
    place.dataset.adState = 'empty'
    place.replaceChildren()
    if (place.getBoundingClientRect().top >= innerHeight) place.style.minHeight = '0'
  }
  const refreshed = (place) => {
    const seconds = Number(place.dataset.refresh ?? script.dataset.refresh)
    if (!(seconds > 0)) return
    const again = () => {
      if (document.visibilityState === 'visible') lazy.observe(place)
      else addEventListener('visibilitychange', again, { once: true })
    }
    setTimeout(again, Math.max(30, seconds) * 1000)
  }

  const wordsOf = (value) => [value].flat().filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String)
  const said = (name, value) => {
    if (name === 'key_values') return Object.fromEntries(Object.entries(Object(value)).map(([key, one]) => [key, wordsOf(one)]))
    if (name === 'exposure_tokens') return value
    return name === 'visitor_id' ? String(value) : wordsOf(value)
  }
  const OF_PAGE = [['keyValues', 'key_values'], ['keywords', 'keywords'], ['collections', 'collections'], ['audiences', 'audiences'], ['visitorId', 'visitor_id'], ['tokens', 'exposure_tokens']]
  const decide = async (body, attempt = 0) => {
    // Sent as text, so that the browser asks no permission first.
    const answer = await fetch(origin + '/ads/' + publisher + '/decide', { method: 'POST', credentials: 'omit', body: JSON.stringify(body) })
    if (answer.ok) return (await answer.json()).placements
    const { error } = await answer.json()
    const [, member, key] = /^([a-z_]+)(?:\\.(.+?))?(?:\\[\\d+\\])?$/.exec(error.field) || []
    if (answer.status !== 400 || !OF_PAGE.some(([, name]) => name === member) || body[member] === undefined) throw new Error(error.message)
    console.warn('ads: left out: ' + error.message)
    const without = Object.assign({}, body)
    if (key && attempt < 3 && Object.hasOwn(body[member], key)) {
      without[member] = Object.assign({}, body[member])
      delete without[member][key]
    } else delete without[member]
    return decide(without, attempt + 1)
  }

  const ask = async () => {
    const places = near.splice(0, 20)
    timer = near.length > 0 ? setTimeout(ask) : undefined
    const placements = places.map((place, index) => {
      const sizes = sizesOf(place)
      const kind = place.dataset.kind || 'display'
      const matched = settings.packages && Object.hasOwn(settings.packages, place.dataset.ad) && settings.packages[place.dataset.ad]
      return { id: String(index), place: place.dataset.ad, kind, ...(matched && { packages: matched }), ...(kind === 'display' && sizes.length > 0 && { sizes }) }
    })
    const body = { placements, page_url: location.href.slice(0, 2048), consent: await consent }
    const preview = new URLSearchParams(location.search).get('adcp_preview')
    if (preview) body.preview = preview.slice(0, 2000)
    try {
      for (const [name, member] of OF_PAGE) if (settings[name] != null) body[member] = said(member, settings[name])
      for (const { id, ad } of await decide(body)) {
        const place = places[Number(id)]
        if (ad && show[ad.kind]) place.replaceChildren(...labelled(place, show[ad.kind](place, ad)))
        else withoutAd(place)
      }
    } catch (error) {
      for (const place of places) place.dataset.adState = 'failed'
      console.warn('ads: ' + error.message)
    }
  }

  const lazy = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue
      lazy.unobserve(target)
      near.push(target)
    }
    if (near.length > 0) timer ??= setTimeout(ask)
  }, { rootMargin: script.dataset.margin || '200px' })
  const scan = () => {
    for (const place of document.querySelectorAll('[data-ad]')) {
      if (known.has(place)) continue
      known.add(place)
      lazy.observe(place)
    }
  }
  window.adcpAds = Object.assign(settings, { scan })
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', scan)
  else scan()
})()
`
