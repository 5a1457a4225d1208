import { stemOf } from './artifact-text.ts'

/** A subject that policies speak of. `names` are the words for it, `signs` the words by which content shows it; both as stems. */
export interface Topic {
  readonly name: string
  readonly names: readonly string[]
  readonly signs: readonly string[]
}

/** English words of each subject: first those that name it in a policy, then those that give it away in content. */
const WORDS: Readonly<Record<string, readonly [string, string]>> = {
  violence: [
    'violent violence gore gory brutality',
    'murder murdered killing killed homicide stabbing stabbed shooting gunman massacre torture bloodshed bloody assault beheading',
  ],
  weapons: ['weapon weapons firearms guns', 'rifle handgun pistol shotgun ammunition grenade explosives'],
  terrorism: ['terrorism terrorist extremism', 'jihadist bombing hostage insurgent'],
  adult: ['adult sexual pornographic pornography nudity explicit', 'porn nude naked erotic escort fetish xxx'],
  drugs: ['drug drugs narcotics cannabis marijuana', 'cocaine heroin methamphetamine opioid fentanyl cannabis marijuana ecstasy'],
  alcohol: ['alcohol alcoholic liquor', 'beer wine vodka whiskey whisky rum gin tequila cocktail brewery distillery'],
  tobacco: ['tobacco smoking nicotine vaping', 'cigarette cigarettes cigar vape vaping nicotine smoker'],
  gambling: ['gambling betting wagering casino', 'casino poker roulette jackpot sportsbook blackjack bookmaker lottery'],
  hate: ['hate hateful racist racism discrimination', 'racist racism bigot supremacist antisemitic slur xenophobia'],
  profanity: ['profanity profane obscenity obscene vulgar', 'fuck fucking shit bitch asshole bastard'],
  politics: [
    'political politics election elections',
    'election ballot senator congress parliament campaigning referendum republican democrat candidate',
  ],
  religion: ['religion religious', 'church mosque synagogue gospel quran bible worship'],
  disaster: [
    'disaster disasters tragedy accident accidents crash',
    'earthquake hurricane tsunami wildfire casualties fatalities wreckage crash',
  ],
  crime: ['crime criminal crimes', 'robbery burglary kidnapping fraudster arrested trafficking'],
  pharmaceuticals: ['pharmaceutical pharmaceuticals prescription', 'prescription dosage antidepressant opioid vaccine statin'],
  finance: ['financial cryptocurrency payday', 'cryptocurrency bitcoin payday mortgage forex'],
  misinformation: ['misinformation disinformation conspiracy fake', 'hoax conspiracy debunked'],
}

export const TOPICS: readonly Topic[] = Object.entries(WORDS).map(([name, [names, signs]]) => ({
  name,
  names: names.split(' ').map(stemOf),
  signs: signs.split(' ').map(stemOf),
}))
