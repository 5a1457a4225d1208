import type { Asset, Assets } from '../assets.ts'
import { cdata, escapeCss, escapeXml, percentEncode } from './encode.ts'
import { type FillMode, fillMacros, fillUrl, type Macros } from './fill.ts'
import { fillMarkup, fillScript } from './fill-markup.ts'

/** Fills the macros of every asset of a creative, each value encoded for the place where it lands. */
export function fillAssets(assets: Assets, macros: Macros, mode: FillMode = 'encoded'): Assets {
  return Object.fromEntries(
    Object.entries(assets).map(([id, asset]) => [id, asset ? fillAsset(asset, macros, mode) : asset] as const),
  )
}

/** Fills the macros of one asset. Briefs, catalogs and webhooks are no output and stay as they are. */
export function fillAsset(asset: Asset, macros: Macros, mode: FillMode = 'encoded'): Asset {
  switch (asset.asset_type) {
    case 'html':
      return { ...asset, content: fillMarkup(asset.content, macros, mode) }
    case 'javascript':
      return { ...asset, content: fillScript(asset.content, macros, mode) }
    case 'css':
      return { ...asset, content: fillMacros(asset.content, macros, escapeCss) }
    case 'text':
    case 'markdown':
      return { ...asset, content: fillMacros(asset.content, macros) }
    case 'url':
    case 'image':
    case 'video':
    case 'audio':
      return { ...asset, url: fillUrl(asset.url, macros, mode) }
    case 'vast':
    case 'daast':
      return 'content' in asset
        ? { ...asset, content: fillXml(asset.content, macros, mode) }
        : { ...asset, url: fillUrl(asset.url, macros, mode) }
    default:
      return asset
  }
}

/** Fills the macros of XML: in addresses like a URL, elsewhere as text of the section or element around. */
export function fillXml(xml: string, macros: Macros, mode: FillMode = 'encoded'): string {
  // Macros come in order, so that what is before each of them is read once.
  const marks = xml.matchAll(/<!\[CDATA\[|\]\]>|[>"']|:\/\//g)
  let mark = marks.next()
  let inCdata = false
  let inAddress = false
  return fillMacros(xml, macros, (value, _name, offset) => {
    for (; !mark.done && mark.value.index < offset; mark = marks.next()) {
      const [text] = mark.value
      inAddress = text === '://'
      if (text === '<![CDATA[') inCdata = true
      if (text === ']]>') inCdata = false
    }
    if (inAddress && mode === 'encoded') return percentEncode(value)
    if (!inCdata) return escapeXml(value)
    // In a section of its own, a value (even an empty one) makes no end mark together with the text around it.
    return `]]>${cdata(value)}<![CDATA[`
  })
}
