"""By which words a refusal, a courtesy, a report, a correction is known: one pattern a line, English, then French.

Patterns are for text in lower case with plain apostrophes. `<NAME>` stands for the list of that name.
"""

from __future__ import annotations

import re

_LISTS = {
    "MATERIAL": "context|documents?|documentation|passages?|texts?|sources?|excerpts?|materials?|information|data",
    "MANUALS": "corpus|chunks?|records?|manuals?|handbooks?|guides?|rules?|minutes|plans?|syllabus|files?|articles?",
    "DOCUMENTS": "<MATERIAL>|<MANUALS>|pages?|content",
    "PIÈCES": "contextes?|documents?|documentation|passages?|textes?|sources?|extraits?|informations?|<MANUELS>",
    "MANUELS": "données|manuels?|guides?|règlements?|fichiers?|articles?|pages?|corpus|contenus?",
    "NOT": r"(?:(?:do|does|did)(?: not|n't)|never|nowhere)(?: \w+ly| seem to| appear to)?",
    "SAY": r"(?:mention|specif|stat|say|indicat|tell|nam|discuss|describ|address|explain|defin|identif|disclos)\w*",
    "HOLD": "(?:contain|provide|include|give|cover|list|answer|record|offer|have)s?",
    "TOLD": r"(?:mention|specif|stat|indicat|provid|given|found|cover|availab|includ|address|list|describ|nam)\w*",
    "COVER": r"(?:discuss|cover|describ|focus|deal|treat|talk|concern|relate|mention)\w*",
    "DIT": r"(?:mentionn|précis|indiqu|contien|di|fourni|donn|permet|parl|trait|comport|répond|spécifi|nomm|évoqu)\w*",
    "COUVRE": r"(?:décri|couvr|trait|parl|port|concern|évoqu|abord)\w*",
    "RÉPONDRE": "(?:répondre|dire|déterminer|trouver|savoir|fournir|donner|confirmer|préciser)",
}
_LIST = re.compile(r"<(\w+)>")

REFUSALS = r"""
\b(?:i|we) (?:really |simply )?(?:do not|don't) (?:know|have (?:enough |any |that |the |this |access))
\b(?:i am|i'm|we are|we're) (?:not sure|not certain|unsure|unable to|not able to)
\b(?:i|we) (?:cannot|can't|can not|could not|couldn't) (?:\w+ly )?(?:answer|find|determine|tell|say|provide|give|help)
\b(?:i|we) (?:cannot|can't|can not|could not|couldn't) (?:\w+ly )?(?:locate|confirm|identify|verify)
\b(?:cannot|can't|can not|could not|couldn't) be (?:\w+ly )?(?:determined|answered|found|established|inferred|known)
\b(?:<MATERIAL>)\b[^.;:]{0,60}? <NOT> <HOLD>\b
\b(?:<DOCUMENTS>)\b[^.;:]{0,60}? <NOT> <SAY>\b
(?:^|\b(?:it|they|this|these) )<NOT> (?:mention|specify|state|say|indicate|tell|name)s?\b
\b(?:is|are|was|were) (?:not|never|nowhere)(?: \w+ly)? <TOLD> (?:in|by|within|anywhere|here)\b
\b(?:isn't|aren't|wasn't|weren't)(?: \w+ly)? <TOLD> (?:in|by|within|anywhere|here)\b
\b(?:is|are|was|were) (?:not|nowhere) (?:specified|mentioned|stated|indicated)$
\bno (?:\w+ )?(?:information|mention|indication|details?|reference) (?:about|on|of|in|is|are|was|for|regarding|that)\b
\bno (?:\w+ )?(?:information|mention|indication|details?|reference) (?:to answer|available|given|provided|found)\b
\b(?:not enough|insufficient|not sufficient|lack of|lacks) (?:\w+ )?(?:information|context|details?|data)\b
\b(?:nothing|no (?:document|source|passage)) (?:in the |is (?:said|stated|mentioned|known)\b)
\b(?:nothing|no (?:document|source|passage)) (?:says|states|mentions|names)\b
\b(?:unable|impossible|not possible) to (?:answer|determine|find|say|tell|know|provide)\b
\bthis question (?:is|seems|appears)(?: to be)? (?:unanswerable|out(?:side)? of (?:the )?scope)
^not (?:\w+ly )?<TOLD>(?: in\b| by\b|$)
^(?:unknown|n/?a|no answer|unanswerable|don't know)$
\bje ne (?:le )?(?:sais|connais) pas\b
\bje ne suis pas (?:sûre?|certaine?|en mesure)
\b(?:je|nous|on) ne (?:peux|peut|pouvons|saurais|saurait) pas (?:\w+ )?<RÉPONDRE>
\bje n'ai (?:pas|trouvé aucun)|\bnous n'avons (?:pas|trouvé aucun)
\bje ne (?:trouve|dispose|vois) (?:pas|d'aucun|aucun)
\b(?:<PIÈCES>)\b[^.;:]{0,60}? (?:ne |n')(?:\w+ ){0,2}?<DIT> (?:pas|rien|aucun|nulle part|point)
\b(?:n'est|ne sont|n'était|n'a|n'ont) (?:pas|nulle part|jamais)(?: été)? (?:mentionné|précisé|indiqué|fourni|donné)
\b(?:n'est|ne sont|n'était|n'a|n'ont) (?:pas|nulle part|jamais)(?: été)? (?:spécifié|trouvé|évoqué|abordé|dit|traité)
\baucune? (?:information|mention|indication|précision|détail|document|source|réponse)\b
\b(?:pas|insuffisamment) (?:assez |suffisamment )?d'informations?\b
\binformations? (?:insuffisantes?|manquantes?|non disponibles?)
\brien n'(?:est|y est|indique|permet)\b
\bimpossible (?:de |d')<RÉPONDRE>
^(?:inconnue?|sans réponse|pas de réponse|non (?:précisé|mentionné|trouvé|disponible|spécifié)e?s?)$
"""

COURTESIES = r"""
^(?:i am |i'm |we are )?(?:very |so |really )?sorry\b[^.]{0,40}$
^(?:my |i )?apolog\w+\b[^.]{0,40}$
^(?:unfortunately|so|therefore|hence|no)$
^(?:based on|according to|in|from) (?:the |these |this )?(?:\w+ )?(?:<DOCUMENTS>)(?: \w+){0,2}$
^(?:please|feel free|let me know|for (?:more|further) |contact )
^you (?:may|might|could|can|should) (?:want|wish|try|need|contact|consult|check|ask|refer)
^consider (?:contacting|checking|consulting)
^i(?: would|'d)? (?:recommend|suggest|be happy|be glad)
^if you (?:can|could|have|need|provide|share|give)
^it (?:may|might) (?:help|be (?:best|better|worth))
^(?:je suis |nous sommes )?(?:vraiment |sincèrement )?désolée?s?\b[^.]{0,40}$
^(?:toutes )?mes excuses
^(?:malheureusement|hélas|donc|non)$
^(?:veuillez|n'hésitez pas|pour (?:plus|davantage) d|si vous |merci de )
^je vous (?:invite|conseille|recommande|suggère)
^vous (?:pouvez|pourriez|devriez) (?:contacter|consulter|demander|vérifier|vous adresser)
"""

REPORTS = r"""
^(?:the |this |these |those |all |both )?(?:\w+ ){0,3}?(?:<DOCUMENTS>|it|they|this|these)(?: \w+){0,3}? <COVER>\b
^(?:the |this |these )?(?:\w+ ){0,3}?(?:<DOCUMENTS>|it|they) (?:only|merely|just) \w+
\bonly\b.*\b(?:is|are) (?:given|mentioned|stated|described|named|listed|covered|said)\b
^it is only (?:said|stated)\b
^(?:les? |la |l'|ces? |cette |cet )?(?:\w+ ){0,3}?(?:<PIÈCES>|ils?|elles?)(?: \w+){0,2}? <COUVRE>\b
^seule?s? (?:le |la |les |l')
"""

CORRECTIONS = r"""
\b(?:the|your|this) (?:question|premise|assumption) (?:\w+ly )?(?:assumes|presupposes|supposes|rests on)\b
\b(?:the|your|this) (?:question|premise|assumption) is (?:wrong|false|incorrect|mistaken|not correct)\b
^contrary to\b|\bno such\b
\b(?:does|did|do)(?: not|n't) (?:yet )?exist\b|\bnever (?:existed|happened|took place)\b
^(?:in fact,? )?there (?:is|are|was|were) no\b
\bwas only introduced\b|\bnot (?:\w+ ){0,3}until\b
^contrairement à\b
\b(?:n'existe|n'existait|n'existent|n'a jamais existé)(?: pas)?\b
^il n'y (?:a|avait) (?:pas|aucun)
\b(?:la|votre|cette) (?:question|prémisse) (?:suppose|présuppose|est (?:fausse|inexacte|erronée))
"""

CONTRASTS = r"""
[;:]\s+
\s+[–—-]\s+
,?\s*\b(?:but|however|though|although|nevertheless|that said)\b(?! <NOT>)(?!-),?\s*
,?\s*\b(?:mais|cependant|toutefois|néanmoins|en revanche)\b(?! ne | n')(?!-),?\s*
"""
"""Where a sentence is cut; not where the same subject goes on denying (`states the excess but never names ...`)."""


def compiled(patterns: str) -> re.Pattern[str]:
    """All patterns as one, lists written out."""
    joined = "|".join(f"(?:{line})" for line in patterns.strip("\n").split("\n"))
    while (plain := _LIST.sub(lambda name: _LISTS[name[1]], joined)) != joined:
        joined = plain
    return re.compile(joined)
