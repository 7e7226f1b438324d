"""What each code of a text is worth, by vocabulary: made by benchmarks/fit_estimate.py.

By table, bytes, kinds, sounds, letters, letters otherwise, scripts, characters, neighbours:
the least worth in steps, a step in tokens, and the steps of each code above the least in
base 85."""

# fmt: off
WEIGHTS: dict[str, tuple[tuple[int, float, str], ...]] = {
    "o200k_base": (
        (-104, 0.0084038, (
            'XlrU|YG-O_XnlfeYkO#DX=`a}Yinz1X=`YBYG`U|jEr$>TWx4>QDbX&c5+%kdwYOvb#!obc6MuJiECp`'
            'S6gXoWLRW;dRV5YOmSdXP@+XsOJJgRZ;6GAaAbgUV{UwBcWQ5ffo+O{YH@gaWU*goXoHA|j&g!me`auM'
            'Txw2PRcKjLXN;eAZ+Ku>YGZk7a)x(*N?d(#Xk}?tZD6WMb8&-UiezV#tZHRwVsvD6Zc}V$Xk2hwQJq_4'
            'XlQzLRb&>No~OuY-DNKbN>&W@q#9;1CShPyXlQ6?AH{!mDj_pDR8-Ia2pRsD^k`^kXlQ6?XlQ6?XlQ6?'
        )),
        (-123, 0.0051677, (
            'qW;r~*|NB~jfSgjdv<%q#HXQ>e1lejM1Z2QdaZkH>&h>Gos_wLgieT!dXsx@k$t{kj(eDphnG7pRYQB@'
            '&B%<zMU03{kX&J3r&@c4wUBd(Uui^gRy)>_e1v<3)pL_&T`6r>WSNkRq<edSorjT#PA#lcJ$9#yrj2`p'
            'lUAFFS!{J-3BtdShmd=N_D7nHWuhHdc3M(_dV70`-G^sxm#;r$)pit#gMWL4dwY9(dwY9(dwY9(dwZ;V'
            'dwY9(dwY9(dwY9(dwZ69dwY9(dwY9(dwY9(dwXenPHT!g<7uYNx`1V2EK!!9b#Z!yfS8xO@@kBfcyoII'
        )),
        (-112, 0.004535, (
            'S+j<=K9g8qHCaVNdVTz`lUab5tv^Fzd`e|~SDHPKPfAj1&yRJEM>AnA0KBc#P@s)YM?Ym^nro0+I7*iO'
            'av({sce#FKVl$3Si*2BUdT?!LrbmQ@ihhi-v{g4!T46y9dW4CCkB^eia6%KfeS}!NJ(O#7Ot^a~S{r$('
            'VSSTbX;x}Beo%F2X|7_Ei-)FhY+6T;OniHWba9YfcZXeItfM+yD`|$Gk}rUgc2rhEJ;2P3TAqc4-&=ca'
            'a$0i?S!9b)S;{A>gWG$kgIt`vV?$Sii(yHXN>Os6XFx+bU}<!IvbJoopNgX0hQ*o8gtMcawuzObo2Sae'
        )),
        (-120, 0.0035737, (
            'T_u8fS6qy5dqjMMK5WQjdXaF6QBALcN@($|RJ(i9*ls<KgmhDqs--I`QB|ZrrkJgAkVd4ff?#F1t!reS'
            'ieb(<ifM*&otSokV7rCBxR6YHt2<_2&U!(gZ<LRPH<eAlbe<<&UT2EMPq~6*%3Ne-ii9kB0IbT6X=G@!'
            '>2$M^gwQgDd|#QiI9ZR=hl6QuX+dzHXJaC2f+vw=HBVI;@v3g{OOCCtRApvMNw$7;arC^T(~@Y%M!S`5'
            'Z<xEC@tnr;?wUYTlrc?a%4V4xQ+TY*g>9Uki<FLO$=LpIlW>NCYT|=gz{8AzcD9R?YF}rcV^N-5X_%`~'
        )),
        (-135, 0.0034206, (
            'ojS1~(5Y*6m4KRu+=2XZ$eV<Iq(|a>h>KQAZ<t*Efly<Sqnv8JgOU4)nroTGrG}QuTF_BXe3`dlAa9VY'
            ';@`PMZe*#Ti%P$gL0WB$L#@77)wFlVv3zpDpG?@Li)5IwLy1%IqKa2)rIlA_rEOkXvs_%toYGQgppJu_'
            'b9g&&mriD_Yk`H4Mqf4inc|G(0LOt=q_3#ebCm5#QbU%(hHZSIcGjYFl$_TykY#^!n)2sTUGm;c+NZh0'
            'YhJLG#ITXswEB0{!q&Nrh@X&rny2b+rlxnjP|IbBw4RWpx6rMpr>TO%ae{A|$E%Lcly!-+tT&L)lyOkY'
        )),
        (-146, 0.012153, (
            'l9G~=l9G~=l9G~=l9G~=inX|?#k#ttWM_YuNq4hjw0oRxckFp!m%ECaUz@&cmYl4TiLzg`{+7ptXN75z'
            'k+YDLotm1Al8n28n00b&f^&gti+TK`l9G~=l9G~=kAJq8WSwk~lC_40qm+WHgL!7#mA{UejE0Mck&%FJ'
            'ce;>$bnLI4<FiqslA4)_l9G~=l9G~=l4Wgvdv|h@4U%-Zl9G}Yl9G~=lA8dMTzRRRsa1-il9G~=l9G~='
            'S(1{Hl9G~=l9G~=l9G~=vX*9#xLBBBa*vuwrK^HyiJn}ajGT{;d9bmsUUFBCq>_@7&9JpXl9a`gl9HEa'
        )),
        (-118, 0.0047418, (
            'PePkZB9vKuiSTGBCpg5_OV(a;YM|g=Z-Y)SUuoB@dTo?|lXY;0n#+f*k6c|Ll5J_fj8bY>C97+7pKOA*'
            'VxUcg>3VQVWf(cLR*FGqnuA?hHgJG@eAl#%p>ik*OL>@BhBs>0s#?gLiin2VfK+2OV^m|ntWbY+Ws;{!'
            'oSTP&LLq0KzeReY{?*1lUs;H)n7~?8hYy6Ikwj9OcgICIW}u5mM>lmukC2?3DMzG9w3we#hnd!xEP7BK'
            'c3(SejE90)jitMrLNY07$T_}yqX0XuLvT%dY{yb`n|GtZT8MV6S8s_DKzK`XmAS`rLxF5sT22;Tope{!'
        )),
        (-147, 0.0071668, (
            'qMLSwhm^aaZJ#+(gp|skwpqfLoy(7rb4Rw7yjgHwc&l(^l5qZ(s;<m)RIZralXITCoTJozlb&;#jEbb3'
            'qEU%blKg+lpn8s$lee^P06CY`*k0Noh_9iQk(Y3%xn7~bpoCbP+RM1Ay{2)FopF42zr?MmS#^_{m&%ZQ'
            'uVRqspVFX{Xq>sH(vE|3q>qrZa)_Udm7PM4sjy|klH;(4ht#){vWKYvm#leyuG*Nzbx);wyQg@ZczK48'
            'b!e`ku8PW#o1(0sfRB}8!&rBDsDFaIWzS%Y%%@&tvck2Trm?ZM&X$j3rk9eEal*riTB{<La}uJeiFKOJ'
        )),
    ),
    "cl100k_base": (
        (-101, 0.0074996, (
            'WoTz-XJ%$+Wp;vRX?<p9XJ=<;X=rF=W@lzjXJ=+<jF@v}Qe|d#O<84fY-?RScz1wlad2#La&u&3jAdX!'
            'PF7=JWlvdtfJm;kK5|)FRjNcoL}i$4ZIhRIWM_SCTWfStcxPdPjdGBdWo&qPP{vwaV1bj1iEoZefNg7N'
            'VRv40Uwvp;W^blvRf=6vU|)}wY+iqdIBRr?dunS<a9zhpYkQMshG}M+!;U&saA9tIZ*gCCP*{CLN19kR'
            'Wo2G%dstVGT&K-tvT0*P4LGp=agB%<1}tcaWo2b$MaF4V5Cb7RU!u<p03qs}(`994Wo2b$Wo2b$Wo2b$'
        )),
        (-122, 0.0054123, (
            'ss7T6*|D{+h<BxwcVBwI$)%){l!8@&M{%05dy;x~>&GE^j)tv;pGAU$b(nf;mVUolifD;{j*>Ste_eXT'
            'yTgsYM}?G1lW|~Umsom)r<!bnR9jhhUQ5l2e~x;0$#9=#Ry=S^aHW)Yqi}kGnuU9jQz)}sKzXK)h<kc~'
            'kVu1YWpsFn2fMhGiGg~4=0l&GVx25mYDiFkeR_I_(|KlIoUJ*9yJ`=Tbboq#dU|?#dU|?#dU|?#dV0Nj'
            'dU|?#dU|?#dU|?#dV0!wdU|?#dU|?#dU|?#dU|krWP*lB(1@Cwu!mh!XL*j7addl<eV2)s&1;E`d475T'
        )),
        (-121, 0.0051088, (
            'X2pZNXqRJNLs(T(b(ZY8gI=DOpE*-xkXU!2Zka%vT~S+dy~lBTO+bZJ1-!JwM9`ivP)|^0k${j~RY%<Z'
            'aV2rBc)gQ&Vp5b|e212Zdxdv<s8FVsl7fD~x?M3_b#hKJj&_}Qp^}i<dq4oenTl?-K&@wsVV#&YS}$&|'
            'd4rW~YHWB$mQ9&cVXJMNrgWHjX>d-JeR^h>kcpC9c#T_Uw5C*XLxhBsp*V@3kZX2lTC~oaQlNf(z+Ikb'
            'Yf^tCQ)Gu`X}nW~is+iHgl&(wj7?RAgmqJ-XIFixZ$CptXnBm7lEsD2l#{32j=h%Gkf5QMvZ92rr>V`u'
        )),
        (-131, 0.0039973, (
            'Zd8PEYh0yueO*$MLUY1<gp{0wVOYYBNqgqHM!l8P&3HqWj%;O%wWdEKT3WJQwve`FgJ`mugP4KS%ZqBU'
            'taZd~nPHS@!IXK5Y}1;z!<|cktt^B}z?N^PdY+W3PKs8qh?zNFUyhl^Zog%8^m>7Olz=;s0Hx5Ceu8wZ'
            '>5`|De$_{@m2au5LP?6joRV{Lc}9P(acVYherT(3T5VJ_^}clDNOPyQMQeU+O3;jfhwRX$#kYXbTfBgD'
            'd7ZMT@1?c=&Y4JRwozbY<5#61b&I;tkb|k2jiHsH_S5-*ly{Y#dgQ5M+_{v5gRhRDgjZ;@V^yMVfv=5e'
        )),
        (-108, 0.0039644, (
            'a4wMtnr=B*cVCTfwvhUWidl4Ag+i}yc4Q?oOJgzqYe*<;fOlG_je^%`h-QhCkX(4dHkmjfT#TP&7CcgW'
            'qNIx+RZ*Cld~2_DJuN;_Mz5khk8)s@lul!jj%>n`Sv!HADq1k!b5}-ZnqNIliBCX0wL52^j<zvMl3|m4'
            'S5P!ikSIHvMO$EdI8Hy<e5HD(0Ipd`nX`qWbaUAhF+zizKW%!7U!jIXZ*s*Rbzn(Pbi&juN$I^kvwV!Z'
            'a8Rj`qn?zhe#>8|nzdwfgokKpSc|-LfS6RAFsDajrip5embI0Lk#%d9Y-mkoqKbR1dUsBbgg#)SeP|=M'
        )),
        (-114, 0.010383, (
            'a&mHVa&mHVa&mHVa&mHVaFm{onxUm<H$YcsF+ieVPz$h4C;BW`u!Nr0G=+XlaAcW%i>+m;<&cg-IbK9|'
            'bC+~-ac_x7jEjqNZZ=pjD^f~0X?y;Sa&mHVa&mHVbarucWMOD%cAA%{m5zXRa6?Infr)jTb4OZRXJ~g`'
            'j=6tMaJh?qpN%?vd~<w(a&mHVa&mHVa!7Zajf6gOL~@6ma&mGRa&mHVa(4uBEk<yBmPKxWa&mHVa&mHV'
            '8**}Ta&mHVa&mHVa&mHVrGQOhivV~qE0p64nt)<OZ+bI{aC~EFOL20DMPGD?e{ynilZl5za($_Ca&mD$'
        )),
        (-127, 0.0062743, (
            'Yh{UgQI~jkoWYMSGFZ)lVxK^2thk7~v~@sILCeI6TYFl_cYcFnnzp68ah0Asg_5z8bYgL5VZ2VdeU)I9'
            'a-L9D{e6gnQUHjRo~AXgR*+bhLsWc@q0Xg^!EIY%caMK%i$I*_n^TT|ta@|LYJ*fziB?snsX+dJd4{ZM'
            'f{mf6Kx%EyoN8XA@tosOm3X(6c$IHZP%)UYuUcTWm8E?|qMwszJ8`sVkBNwTb9Aa|w4{Pti<o?AU~^Sx'
            'n1Xtgi+6uG!PJSMB3VRgrCrvBk5s&!JCB8iU6n^<mW<7iMQeM#nRtpfYinh$Vq=SoXLy{1b#zHnvT3EV'
        )),
        (-132, 0.0078592, (
            'hkIqLaG$PUVuA;Ifv*0oiBP3&SCFfwhij-=jBZ+ptHFYYg-P3OVza$YN|TwLp>JJ$p?Q9aqLhbva9W<5'
            'XK_tshxmbto?nEXn0RoV4m(7SsAjG!qNI>}x`vD1jB&GlvNK|#jK|fatd2)wjC!S)kENG-VUT}ucA1=Z'
            'r*?{Wh=YM|mWp_Aql0v&tzoUHdU2h2n67-LqMU)LVAQFTfwW?Trf-=5XQf!MOqQOwYj=}*myUm%m2h`x'
            'eTs{3R&|)Oub{AZb8V(S%UN!9dU{}?P^mU_u8w0=k*K$mmzhwYlTnXUeW8@8iq^A#m6<qZSVfV?kvf}|'
        )),
    ),
    "llama3": (
        (-110, 0.0090721, (
            'Zg6jKaBXjHY=MPtZ-Q=aZf<XGaB*>NZf|a5aBgpIkC%LJTW@TBS7&d1b$Dn{etm;-cy)Amd3tYcjc;mE'
            'Tw!f(YguT6gjK4rPI_ZzW2IA6Q*M}ba+8*XacqKmV|004es64tjdqxnYjb^lUBqH$X@!rHi*b=zhi-Im'
            'Uvyk!X@q54V1u%FU9eMDcwn25b%Kw5P*;0pfO~dGUQWhtZ-TsJf@o*4xq4D(b6{nBVqsxxXmx;pV3u8Z'
            'Zf;$ATW>3ulHl)dv34sNA2Q7Tb%uyT05)K?Zf<UFYTSTrEh;xFQAxoW1UT@j-)?ShZf<UFZf<UFZf<UF'
        )),
        (-120, 0.0053437, (
            'sQ%K2+q15;iFToOY-)JD$E2T;m4r`!L3)&@d6sx_?9Cy6kA<RrnL~nnbd7jxlzgvRmu856i<LK7T1I%q'
            'yT*^lJbjNrh-X=Fwn}(>q?B=WO=@CwT}RA`fPHv*$!wTtQ#NTvYMP3OtaW&PnSgkOP9wKhHglqgkBxYJ'
            'ghYpFVsmtU2E)9ai-dT7<3ysETBRaSa7s{pdwzI^+ka_VlBzv}yK5DPa(j4nczAetczAetczAetczCRM'
            'czAetczAetczAetczDiuczAetczAetczAetcz9%ZTXA<u)p)3@#E5N0S#OJiZFG8*eUpTj)oFojczk#O'
        )),
        (-117, 0.0051018, (
            'Vz`90Xp&l5MOslzW}oJ^g<77OmMceQgi?K_U70_bTVFhGw!C$DIz5h60=urcJjkFfPESv4kaL1zNIcU1'
            'Y#MZ_cCwFeYFUg{b9k18etT|wxK5RpiFAg>s8uOnYj8v~fqtB5nv|8;Z8-qCnTlzxII3WXRHKM7Uo&W^'
            'bb60qV{~;lnNyHNYpP_Joph9OWqU`Gb8=XfjEI(9e~VUNt(;zGJaB}QqBDb+i)C?ZNW#mKOs8^r%T%0R'
            'W?F_JPFH(uWw%XziQkx=eP5HemqS#7fMQpjVpV#cXh1?eVRwz5kGy-vjgX_(iL;Bzj*^~^xuSlmuBOSq'
        )),
        (-123, 0.0037995, (
            'a87<~W>1`HfIUxxE@;7XfQ^-ZQBcE_H+bZsL$rz5&T}k~gj-vTua!3!Sw^c^xQVA;hhD3TZ;yb=(t~fN'
            'u4%4toLz-tuX=BbSl*SR!;L<Mp(BJvv7T|7ahZpkKZ#GOew`&<T8E9cVz*jy>~?*7igGo40I0@>e0gx0'
            '<$|Azchfkmj&Gf!K|Y7UlZIqtZ9#IgYh@{8cUP%yPg_nN?5|nkNqU;KLS}AhK*oKDa_q{dzP5_bOS*Jr'
            'XOOLw{GX`nzl&LEt58^5;76JfQFy<`i<q>5hNP5`<lO#rkZy>VZ{nO?(V>)me5{F^e@kSjT1k*&cejyJ'
        )),
        (-108, 0.0038633, (
            'U@wyfn`|>&gmZ;$wu}6cgj;l4i9V}ub!aIuNo+3uV?8Hogn3kzhH=|-hG>?kk6eAnGM+RhS&yt`5<g6U'
            'nwy9gPE(|yae1|MF*P(;LcOLpm~v*9kw0LSk!87^WId6cA5Sdbb6rATpH?<Xm0&zN!b4)2i@zyGhhUI_'
            'Tu3=lktsl+LuO%jI$1W>e6)R~0H{<*oUVAHa(31YF*SXlN_2^ha-@Yyc5u8KXkSc8e$UhiN#DCavVn}T'
            'Z$qn_pQV<sdeTstmAG+oj*)X{Q;@!Qhm1&@GowgdseN*dps|^Fk$7;KYhg-lpOb!_c3oPGkTqJXcyBkh'
        )),
        (-149, 0.017711, (
            'm6es1m6es1m6es1m6es1q@t*nteKjfbBd9QiHNaux0JbEcm6<Ax~8?QUZkOTqLq`Elck!ey_~I;f}?nq'
            'mavtUi<Xm=o|vJ6poD&MfOCs;m`v})m6es1m6es1oSK}Ml7pd!oUy68siB~fm2!TrrlppVf{%=ikduOk'
            'y0)fCr`x5SyQ5{Emy)TMm6es1m6es1m0_T+tgl#=fR&`Jm6erfm6es1m6rgOXL6gHtZ|*Fm6es1m6es1'
            'W0jSam6es1m6es1m6es1gpP2Wr*oQgdy=7Znx}k+nUQ#knx&wKdzGxLb$fl3p_P@Dte&Qdm6^Jgm6erl'
        )),
        (-108, 0.0064082, (
            'ZbEcrAbCb<Z=i?`H72*6F>q;URHndeePCQ^L3@~{ScOBGf^Vrjs*8_{TYYvPgNuudX+mUiRd!W{f<s(p'
            'MWRb{{#;>iS`$EgK%XyqeW+o1NitPhp1*K}djK>-KZBA#OD<N?X;OlKgKdPob~rs#cwcy=hEu3^g?*cp'
            'gi?WJFnnW?s8m3j;AqfCgIH~kjFnYsFaxV{o@`m4ZjfwGi-~`2IxCT4SACvvTUw1Ss-19qetmjdJz+*N'
            'WP?{^fmn+>pSF~%I$c*eoJ)^ymM?~}FPcniXS`quqIQdcPGdu%OL~h!m`e)OYI~EAKZ#o^MOidQa(ZW('
        )),
        (-134, 0.0085461, (
            'hFE~1Ykr-lb(R2qf_coqkyF3BZMd|qmUEVJp=)${k;8*`lTG7$cFW0DNU3+AdQWhAhLVhWdA@9CazBV~'
            'VpDBhbN+LBe{Ye}l!cdsKs8~5mx84)nW$Z{w{wcUkzkaAx>sh9p`pW=(6xnakY(ADlY@_XU2=4%Yomi|'
            'x@CQ#s=A_KjDlTkg`lODu1k)ZfNYqdgQb6*qj-(JV9%kTYu1B=(So8Ohn;YeVWXV8c}k0hfm?cugNI#T'
            'afz94VRL_Hhr*VKf`XJ!x@%{Ngp8YtVW&fLnT3r!s<^b1fTeHCwRU7*hrNb&ce|UWlbcO@U@Vori(HtO'
        )),
    ),
    "llama2": (
        (-93, 0.0071176, (
            'U0`2dUtC{aT$P+&Ux{8_US3{aU|?WfTwh&vUteBdhlg!l6=-o~VO(8*aa>+Tb#r%bbZu~Oa&ur;QeAm6'
            'P*7x9NKjpAd10NGI&fP~PmN+aOiO@vSB;s8T32FVOKp2qb!cUPn`obuRB(23O1x2EQ;m&qg=uLzh*D@@'
            'XHr>2GH!QNcw)CiZlW|rOk0LUP)L7+LvVk0U~^V>S|r3+QDAg?ds~pVyLSLQX^vxeStVqKKxlhbICeT('
            'U0p+IZa#K{Qiyq7kXbTP76+03Y(hXM89!27U0q#W5Wqu34-Y&uQH;P%A1Bti$6Z}rU0q#WU0q#WU0q#W'
        )),
        (-107, 0.0048819, (
            'oc_&-ugJNt!nm1nYG!Mf#HGNJV4+k<Zf;zLYJzKc^NUkmg^-(&x=e0#XlH9wcyX*ok5qknOHVjfJFRQL'
            'prmN0Vs)WehHHsEnJQ~y(~5X-b}A`mFg&w)aD8iUnogidO+s)OV4sI`lWA*k!kK<@ZV`(&S1W{Wf^2JQ'
            'xL{y-MrLPT0he!dfOTtd&^V8TjA0y4Xd!WMZfI+2+@NqSi<}3lT7Lj?U~6l2Yinz3Yinz3Yinz3YiosT'
            'Yinz3Yinz3Yinz3YipltYinz3Yinz3Yinz3YioRKOJ`PXi+PrWk#uBVTU48km0@RyZEbFrer$n!XKib4'
        )),
        (-109, 0.00435, (
            'Z@zt~JA-dv0ApB3R)5vWeRrRrlr2t1w-{=3U2!{;UmuE8m#%SOUrCrM7mb<08qtVgY*kG|WpIo-JV>$r'
            'f+K5%y_|4xGBbj0Wrl~0fO%0{vQnOwtW8>}lyxR-e^^E^m{Ns$nu1j2Q%Ve{fOk~2Z+TT;ZHTfrQ&BXl'
            'W^rhRSv5pVnpB=STYhw{o^f_jQczicTWoWBm0!4MR+l{{kFH%nJA!|Vrd4v)rY3b}9jvjEJgjV+)>5K+'
            'R3}U=Ig4peTfK9mk;$i^V{Mg>dQ4N4bYnM?S3`8lJv>25Ux03_W29s8mYJ^hk>Rb$Zp*F4ue)cWv5)P|'
        )),
        (-118, 0.0034289, (
            'NjP<sWN?*jhErLaGJ2teUUr{YRa~lHS&7q)Mw^n##g1QeYkf3T&wN4vX<(t3ns1Otj&_`_pNKuwtf7XD'
            'laZ=yuSAV!k*bA>VbG$pwxTpzmK~Qj;b=viQ+S1{7gvXXmZ~zHPPc^Hc*IG4?sR5WaUwl@B5=`oTX%Jj'
            '%zuoBbIWCws&R0nD>$5zinwZld@OaLL}gxCgI<?NLUDH|{-uh)b7!2PNh}y>M6-T$cFe`KwvJbpSHxPo'
            'Yj(5J&!C#Vx}R}Sz_X}R&~0^ZQ-zJRgLQqlh?JF|u+Qsik5+k%wy?)`yOnW=hs%qOa%W@FE@PFLj*w7y'
        )),
        (-128, 0.0038994, (
            'jaQHrn4LqCnu4B;r>pR`c&BkyqHfS$lz;$HaEe#{i9tMYt%iuiN}BIynP0=cm|2p&bh~9xbDpbqIEHkq'
            't<sTcl4yyhcT&iEXkl1bg~YE})R|;xtb<>wor~s)W>d6@Ep|KTqKas1u5wn6)MIc|w|9D<innlWb5N|4'
            'd!am7kxfU`cYuV5V`E>{mZ*TRHJ){A!?tm<n|HD=G+AN8I&h7;YnantX@bK@t7UwSl+3j?L)FHK#)!Ag'
            'xQw~FyuhT~hq0WvjLB$wnYC_)n5?g5fXRoy9g}&Eo6xGcs<w!kj(VEFlWB>U+If|^iGg{fmrjhejd?4m'
        )),
        (-124, 0.009474, (
            'e0+R-e0+R-e0+R-e0+R-f}E#$ors}2RcuCnPgTB<e=L6?dB`uH(|MDbdxwuwhkuZ5bdqF~yMu9Qa++q2'
            'exiGOhmv`MaIl$cR8Ub!R$6>vb122Je0+R-eSCa;X?u=)nwv{|bbfVx#*%k^jDAndYJ!7QZdG8OdyPwc'
            'VRnLBm$09UwUC^ShJLDPe0+R-e0+R-d|uDV{)JzB0DOnBe0+Rce0+R-e18&r1u>I@jxu-Ge0+R-e0+R-'
            'CwzQ-e0+R-e0+R-e0+R-x|~REwGeh8O^MMet)5I=eTajGhjp4_UVUk!R9$MHn|yqHpo({je1nsGe0+O?'
        )),
        (-118, 0.0069729, (
            'oosz|Z;OmHr;cPM3O|vE9cMqOY>T@;s)|}diGP!(ZKYGDkd|~}npA>@jc;~Qg_wkkdv05CM|y&(nuTV4'
            'V_{N_x}tkLWjTG3go#dkdX;B|N>*ZLhnJ3)X>)W|S6Y}!cq(kKe@TdwsC|d6Y-d(Zcx7X>q<E=MiH4kV'
            'R(W?nPf}IJkcC=|(|P`Jer|<pv3hA}WdNX%nwfN|tGH!#S$mw6Sc;csh-HsqZB3w1mW6dvU51-<HGVl^'
            'jE9eXaV&GZmvXq9Uu-~hu3*$*UwnMBTd-$yZ)ZYBo_?ltR6cf;WOkoaAAD+%cW8HtZh41mR$DxCjDe)0'
        )),
        (-136, 0.0072658, (
            'ifMbCk++7NaJd(nOo^P+T{C*VY?wZVi+Z7ltY(vY%Z}BBcy9f@bIP_yXOXg{bbx4{bC;BBt9pA`cW1zA'
            'j!t4-n$3@Tr+z_nqo8MO9%NN`rl#;qkBFuDfTN4TQ)w+-uxeq%w~D%Tsh)v~twR1#d!(9&UW>QXV3oG6'
            'oJ5<0vbcb$v}=<)n!TjBpLlMUQe}IPPqA*gwSSq+n6lGEc(q%NxR$H{c#@rdV5Fyzpd@gHf@-d$h`E@6'
            'ZIpq8gNbBvg{5?!Talo9$whH}q^Fd#rjKWhpJaSlvzm&LfN^k}<a?EKceq%ZnZlZdY?5SBNvVO$j7+PI'
        )),
    ),
    "qwen3": (
        (-87, 0.0088316, (
            'S6NqBSXNkAR&Z}wS#DQXSXx<GSyx(ESz1^{SXfzDdU0V{NLgNFKvG$4U1U%>YHDv}YGr0=XJuVhZ&_6{'
            'KuJ|tQbbc{bUclfH)TyuNt-)6J5q^TTz83XU0GmeOk89~Xj)NjePe!pSY2mnN2p9tQEq^CbX<2qZd+bh'
            'WLZ;8K44Z;Sc`{BQ=e8?UN~BNLsoTgOI%cAV`OI~M?{P@PjzTRXiQOdmT@^;Sy)t3UrAMUSyE_PM1EFH'
            'S66avWlR8mXMT29qFGT)Hdb}nRXBGa7DjQDS65e8LUvYcH4+&pH%*=r11$cC$yZlbS65e8S65e8S65e8'
        )),
        (-118, 0.0053466, (
            'r2fc;(6YI;e1EcuZc=urzM`^@j(bvnIBtuZcB^)B_`OVfor#!_wlQsYb&qy+kbAgQh-Qd{U57e1Q>S*c'
            'v&n(RNOhn=f_Zdjj3;)9ouH0&JzHW=a7V9{eRg(m!f~QfN<wZ+aGr*7opyG1h<|a7RwJlXP<oVhl8knJ'
            'k3U_2W^Z$X47R|Uhl6&0-9n?7WSAOFcvMGxba{4!(0X@Jm5?`$v27oPb9i=lc6N4lc6N4lc6N4lc6O(B'
            'c6N4lc6N4lc6N4lc6OI`c6N4lc6N4lc6N4lc6M)eX=a5-$$5;Qw|Z$?TsD=Ncy4)%dXj#R$Y_X#aC>$D'
        )),
        (-119, 0.0050909, (
            'Xv%-VVxM4MJ4#McdX(hDd{~>2p*vA%j#7c0YLi2lTvu0Vv&C+7Q$>ST0JF8gILx0cNl98{f^?8(S4H9e'
            'cNBA~a<`0kU|f}4c7c|RcYSq#t4pJml7fV~y-_MwY;sI8kZPB7nwOi`bwmWTn~7?xL#<(rW}J#FQZ;U{'
            'bAFFwX?1l-oJo{OWvy$IpmdsfVP{C1ZFyv#h>Mb5fR|8aucKgYLv@Fara*#(jb?6bTe8@cR-|!yzfzZF'
            'XjgX}UtfD=ZL~^*i0GHMg<6%tg-%R|eS1%%VN`vnYd}dvX?u;6j<$cpl#!+2mBX0Phn1L!v!;o$rLD%t'
        )),
        (-130, 0.0037896, (
            'Xk&wOXJDRdd|6_eI(M~#b&;WzQCi5HM1}6MJg<(&+<8lvk!W6hw5LK5S68%Nyp*<Qky5;sf0&EY%#doT'
            'tarp~m|}}s%#&%1ZP1#?ysA5OuPlF6zKLn8d7he|N`zRaexWyOUWcl?Wzc4G`f+%2nSm{O0HfHMfRl8x'
            '?wF~beb-8@mUOGJH8_#SsF`YRbtZbcXmBxXfnKa|VQ5A)@W^=RJ8Y}4LUf35Lf40gjPA^y%cX$3P{xRT'
            'gRZ2~{=>xi@q;jFw_iwJ)>)`Ojd!lnnPI}7i>ZXN@Y3{zlW(4QcjTsT)UK3*fw_pNjZkH!S4^ONd8LR?'
        )),
        (-113, 0.0037331, (
            'ax9w%oq$4Td}f_}zm4^Xm1uQdi$=YAfoCZ*Ol>;;cRDg|gpX#Ml7jGOi*k;qplF20Ih{2pWu2d96+lgQ'
            'r>KfGOH7rddvdUNKs`NKNV}~>l5S&|nNV_xp>n>HU`LUREK@SzgJ3^srD#J<i(E!5y-R1RkGD5!mR+2O'
            'Qco^XmN87FOKM_yI%P%IjG=d>0K98cqOgUne{kUuH$r)_O?iElWTuQjaC^lZe`iKre7xK&NA<x=zkZs*'
            'cVoTKuAZT?m%?bhhtqUqbdPR>V2Q1Ni>G<IIj1{ivyN+$tF4}kjdN<LY+p!npqGELgL6-YbvaP2h-Wdq'
        )),
        (-141, 0.012979, (
            'jg5_sjg5_sjg5_sjg5_sh@`BStgWq#bZvx{Wpb`^jxCmMWb9jP=BT;RL7JRzpqrS0iiwk(%A1jZZ<=q9'
            'j;WE2m!61&tf`fDpJ8xTTWWbug1-Kpjg5_sjg5_seTkfnZf<yUp`)6tw6LI)fNoUVo0yD}ZHI`BqLW^a'
            'h`yGAb&89IzMF=mnTmmkjg5_sjg5_sjftwUv7lp(fQ@LLjg5_Wjg5_sjf?<|Tz`v;plXJHjg5_sjg5_s'
            'QjLv`jg5_sjg5_sjg5_sn2%wLq-cs<gN&(Sn2>34x{z;qhoGB!h;V|iYIAOvu#Jt4kHfu0jgp^@jg5|Z'
        )),
        (-118, 0.0049582, (
            'Zb^wnQ<9H%uC0qNIToL>Hk1NHqNK--u3al)jI@f1P>FS`b!2{GW7}nnadVYBl#tShpj1^oPQpruZpUD1'
            'Tc1C2=ZT(hH5qQBZiiKOdWx2~a9%r%l&7tBYJD7dF_n31hZVuMY)OWJn0HCCYhGSXL`#>>sf+c0aC&@T'
            'pkb(rEmB#zr~pR2=GOi+Wp$jGW0`GwIULTCg*vFIW|58=e4K<)tuCl?c9xHHU{P#ghMA9Kn0JO#R##3$'
            'hLT}}f;~z%qx_quOk-$t!6MIkZv}3J1k_4|Sb}vo=V5x5YK=qRKV+mHj!8(DXqSP0jiq2;Fe6EPs6wg1'
        )),
        (-137, 0.0068716, (
            'mYa8jVuawRg`_@`i<H~mdQG*Ue2bm&c5K0H#&}Vgjo4*If;`x1dac4tMyrakxL;JRf4Z$^n2KFSj9rP0'
            'az=Dsp#G7Wqj-ars*I&vI(B!int-4^W_L<xlyQKSpL?BroQGAvpUc>9xOZ=EfqtvSqpiJjY?Y9nX04E2'
            'r$~gIsn4F3uU?6EiioqMv1^%zRAaVWprTfid9rxzTjQ~XmW6Dm#fhZ=QKehWU8<d<pHY!`evXNVk8NXS'
            'g>{}>b$FU&yu6LJYn!)i@_=8AoV1RJPQ*}#vw>(pz`Dqej*@!KyLyywaffiSaM6FFb&(owG%A3PtWuV?'
        )),
    ),
    "deepseek_v3": (
        (-86, 0.0092328, (
            'R##S5S5{Y7TWnidSHf3UR##P5SXozAR##YLS5{S5b%J7CH(*;|M^0OCVP8i;V`61lUtL>YU|?HOW?Nh|'
            'HA`P!SyfS8Xis;CLtIWxP<~28LsWlXP-lB}R9I?bMp|b_V_95ta%6XKTU}&pO{Gm$Q*C;5bY5jUa!+Je'
            'RZ>DqN?T1rSdNEWTzy7LQc!McU2tb(Jw|9+O=opXM@XtgRcum4by8S>gj`WeUR+sGRYOZxSXW?NLup1>'
            'R#s(fb3rbGa)XFgn^P?dDmiBUWB_Cs1Vm70R#sM48l!Dw9SjH&B~ZT~4iD##(^ghiR#sM4R#sM4R#sM4'
        )),
        (-116, 0.0049845, (
            'rvA%~<F&rBhKi4Kb9HpXzoLkher8g9SA&wYbDng3>#rYgk9)6jkUoBTc%O7pjCr|FoM?rIgK;}UPeOFs'
            '#=4BlRH%hcnSfSUsylRk!hB|Rc2F~hRxi(WdV6$zw`qH2SuTMwS(dtgl45jwkc)nfP!^&&F>$VUhl_M~'
            'lU;#tT6A@61GcA$hkbN+$5NV_Wu^yRcsxjXd3AJw-fLM-p|(GO!CVT3c7k+&baZrdbaZrdbaZrdbabI~'
            'baZrdbaZrdbaZrdbabb5baZrdbaZrdbaZrdbaZ2MU~+;&-&vH9u7qr7Mo^KAj)sGAc#MCcy>fqhad>n9'
        )),
        (-108, 0.0043515, (
            'VY`RBI*MyP5mF&baGvS4jZ~_PsX9GIc|==-UxYlCL?mHJtLkKJT0?dy0Jx>MEWxB*OFBe8Z)1T>JU-O^'
            'SPNULZ^esbVnlB<fRL4Ygpq4ys6d;MfOLkJol6`}U`!<<kWPnskA;ZzNlO#QiG^joK9Oi_O`D4uI3-!J'
            'I*Wa1P(DyinOcidWS3R2h;eyxWn4>ydS7{QgKwHpcYj4ewYoxIGirU1mo{OPj5uLcD8byGJdu)u+(2S>'
            'f;?>tGFog^P`6RJin^?yerb`fc^xi^gjh<XT0(KERZKl4bzgCck+4?KnUbLNjKYG!fuXRfzL<QWtCil*'
        )),
        (-114, 0.0035271, (
            'S{Ht7az<@zX=G1{FMG#Iczle1MLef{EQIHzMXQ+F<48u4dT>E(!K646JW01kl!lQ{hEtuUZ+J)9#&%Sx'
            'e`>o<dSZoNm55)IRJVJbrfOtpp)X}euYG2jWqo|vJx+6tY^f$#P>+YjQoL_w=wEhEmT@6_0GQT%Rb*I~'
            '&uWX5iQh7Zm5Pp?FJqvce`;@rX&-u-LSQFmZAO?*MMYO4{=;YGK4YwrDLzP1H@AUHWYwXO$eNSFWy52W'
            'k&?cQ-=wwS(1$o)y)IK_$!>usbyKFka9ew=j&6FN(#-o`jcbKqZ_$@U!=aLhjLv+GW=>kOHA|RNVXlK#'
        )),
        (-103, 0.0044179, (
            'VMu}iiG4&~a%yU3s(I3Lf^}YCk2$4YYhNrfR%<c-RyS8`a%WbSWPY@2bzq&Fj8<j9S&S?%T7Z>kB1}z>'
            'l#r7bW<-acb4!<IMJz>1JD`m{lx0$Tonc?0Y<IbWX*-dKDp)MVZFEv$b8bR8gjZocoJ(Sibfia7b!}gA'
            'a%?$5Rx(VPX;^1zDP1_jg_?Aq6O~y~b(V;yj8&o?D>t6BQ(<XyXmMCLYjVUiiDgPydBmS8M7+5+q;7(t'
            'U{Q~OqLPB0gRfhXj;&sBS&w>FV}P_}f|y&7A&_2gk9}o^kCvB&d|`5yVPjfafLCRfb8TXWfH8@lif1gJ'
        )),
        (-154, 0.0099118, (
            'nwpxLnwpxLnwpxLnwpxLxxcBu!@a?HR)cewb$QK;o=m}OO8zgr?6%Ojj;*&sub!=UqN;el;IP|!a;IOF'
            'owlN!qoTQ2u&TF!sd#g0czAnpldb8lnwpxLnwpxLk)ME|XoY)ux#Y3Ky`7w-oOfHetF@P+hMkj}nu3Uq'
            'gz48!jpduC=*UI1l90T<nwpxLnwpxLnu(X4m9S}=E}Dhonwpv`nwpxLnxg=kZf=yC!&`&MnwpxLnwpxL'
            'QJR{XnwpxLnwpxLnwpxLw4qR#vS^WPeTR=`p|@aVv#DC8i=wY^n~<)#aCTwJ%9@&*z|GY-nzh-Qnwp_e'
        )),
        (-105, 0.0054719, (
            'V<vl2LRd{_b+&{689Rr{FNh(6l$^OPmUtW}ft{_5axi9zg;<<VpRcHPN={xNh;nm!Zd_h!M7B0>e}YkW'
            'Mv^jg%wj`iS2<C8T2?ZEe~yP^IeAcviQT|fe<2MdLx6%}Hb8{MU`1)Gmv3L8SY9$fc2`}Rn^2`|l697F'
            'cwU28F?oq_uQOWX<+J`LK!0j^QdoONI3|vyl{J8hW1enHmYrQLIw_($bAzj2NLYPmYM_!_g-du=5<yfX'
            'fre9aZd_<ue2jRcIYuo#;Tx!8e=SJIJYHCGF1J5Tkeq>ML1r<qQg44Obz&fVfMKF!Xj@xHA5l_aj(2X5'
        )),
        (-135, 0.0062692, (
            'hn|{-V0q=$c&Z~of|km}kR-{UZpGQacP*`a#7bIDiP(Kpc{1{)jJMZFDxqDUq-Jd6d3ud+le2L-XjHdZ'
            'mPVIisr#Ox-i&gfb7rJB0EbSJ%|ognkfvmst8-4Kbacjizk4sOq}I=_@^gQLYH@{tmXV*XHF#;JQsa+&'
            'ig32VbJK&3gN%NU*ma40%Z!U|cvGlziLXJPkC<V>QOBjLeAak-%$vsrb)09AU7@#_YbcFlmw$ANl5BW^'
            'bcnKin~SYku-%2wdVRHQ;W|fzZi<AhK)NM%#A<~_q{Ezjs*PxcnR9D}m8)THbpEiWfSV(8Eg6}!k5rJD'
        )),
    ),
    "glm4": (
        (-107, 0.010492, (
            'Yi(?7Y-?<6Yk7rjZGUTQY;0|8ZEbC9Y;0^@ZES08h?00|RcUK_R%vN}aB*c#YGQC|l6ruGcyeNEh-qj|'
            'R9|aqYFTA|d{~~NPkLixVxmt`QEHcQZ-$I^Z)SjWV{ms|dTVKYhjfdJYH)aXV6tRpWr2%_h;Mvbd2()T'
            'UvgGxWq4j_Y>J(CTclE8Ygmnsc5aJwQDbv^dUbP8X;H0Sd5xG|hh%7?vwcfsZDM0}Z((Y6WLtG^R)=9}'
            'Yin|Qd}uI@RL0h8!)-em8%MJKb&Y~K08MP3Yinz3Wxsf6IwTbxMSZ|79Zb`c&1-9GYinz3Yinz3Yinz3'
        )),
        (-119, 0.0054698, (
            'qyEf>(XY3+kbJ0cabI_?zM-m-h=xymNOXd;c9nN`=(ss^pqZqDfJAbGbDMW=k$k3Dn`3>2my1L^V_bK*'
            'ti*!SPH>J>hh<!3w?lV>qmgoTM`LYSeo(N3esXtq#(0EXT0(0#dz+1crgwLHj)shuOeVEf6Lh7DlYe)6'
            'h(L#8U2<`V2EVnLhk<v1;YgC0WSkyha!o^hdUbb$+I4kYgn~nWuVxm5b%A$zcXxMpcXxMpcXxMpcXzLM'
            'cXxMpcXxMpcXxMpcX!oycXxMpcXxMpcXxMpcXwfTR&|3z)PJF=wtr<$Rc(iofOd9|dy#yF%4dj&b9#3G'
        )),
        (-114, 0.0050788, (
            'T)cq0Wt3oMH%v%Mb&Kh*gIJu7lr>0Ufm3jnYnD5WP(N8}t-xk-N<flF1+=HYFUpTAP)=E3h;M*fO+L>4'
            'XdG*xeYJgXVnKymZiktQeTQ~^vQveQhJcH#o>Cr9W??}rgKd*+n4y-`aXkRDlzv^LIGkXJVwR6PUMpyz'
            'c6W(fU1@SSi%o}6XrOGPm~oA6U~5s1bZK0RfQOA(f{b2XshnABD`J9<iaUgxjc0CYNwLj<Ta;;g#z~o6'
            'ZB}{~QC)6fW5G;^h24*zc3zdjf<8}*d}C0NVo`UXYCSSRT5pz-i?xHjjE<n&gtd#vj*yy=wWx5ZrK7~V'
        )),
        (-125, 0.0040462, (
            'bVG!9U|*hWb5T%^HE_gje}$EYQbe+jMuPsZP^E^=!E`{4h*)NfwURp?UsbA6u#~T7fmEi9hLds7ym@x5'
            'qhhXVk7$Keyo7IyW!9Fs#Fb2btT%I0t&nMwdXtZ&MuJbOagsVwT!ECmW5IB2_;`41j({<E0I1TTc!74P'
            '-j$tykJ&eqnPsM+Gev){o`GFpayEOrV0l7!gIuF;QCdkk<*sq+PJ^DZNnUSfM9GqMdG*kxzL$r&Q@DM7'
            'dz`1L^pvsn=YlwAp<h^C%xjlKeSxXNbaAC}g`$L&;J@v3jc}8aZO@cs(w~=keZ7d4fLLCnUQn2Cd$p2U'
        )),
        (-104, 0.0039956, (
            'Vk?dSiEBD%e_w=qp?mXzg;Z~2i8!`wdRjIcP-8IuZ7eoyfOSuRZFJmcjbMhKk70AZFOWPnPJWPJ4n|Ib'
            'qo95-P(_lIa$>VwKsP&8OQNJemTFsxiCt)bkVCePT03-#BvvTXY+ylXnNC4OgHJ{_usL6vio_>aie`&_'
            'R8J~HkuO7%OG#UEGhIH#fSYij1g=g(lb&;}b8gNSEl6#fPJwTFW1fUQZgR6AbY4tjXT!)AMA*DEvxA7O'
            'Xi%S>shpXcfWu9Fcf4SBZJJ|!S%$M@kc4HKB%nlLpM`RXma?FOd0J_XTUkhDnuc_ldtX(Ei!@oEb6_E{'
        )),
        (-124, 0.018243, (
            'e0+R-e0+R-e0+R-e0+R-e3O}pnvb1-S666&XJwCMbxD?9RMs_Rw}+;lP>PRde{+a~c#d<HqK1lkV0&nU'
            'eU*NFdx3dvf`5x;g=A`8QA=D*gjD{qe0+R-e0+R-et&&_cW{AqgPV=2lZ%CVb5KsAjE{SPaCCrlcXD@b'
            'iJy@?jJtw^rjb^Ibajl8e0+R-e0+R-d|-c*k&Rw_XMBa3e0+RRe0+R-e18CZTw#8Kid=V)e0+R-e0+R-'
            'OniKNe0+R-e0+R-e0+R-ns`lffMJ15aa*=di;z%PeuHFue1MB?Yk7x>VqbNTi+p^1l8cFIe1e>Oe0+dV'
        )),
        (-119, 0.0057472, (
            'dQ+2nPm5+{d(w(37c$wRA*wTBiGH4&o@7E?R=u*cVS8neZDzM+!MvN2S$m2(jFpj=mQ`1CBD-m<f_hSV'
            'R+v$9`Ds;lP6}#oh@UEzgO+}SU@BHzrrWP|xJ5xtK5v>|S1y+4T|t+Xtdw@YZdy%6Y+hNez;(fHpMJY{'
            'fo_j$Epn5#s6<uY(S80;f?9dCbH9LJG61Wdhems)hrNDSsFsdkU^|Fla*d>OP-Ti`l%$YHmQ{{hN@7S}'
            'b&x}Tert&{$I_ObSYSgryj8+}fKsQ&GptmIR<J)Ov6+&IV|OI9T6UX0qgfrqj&-MXSc;EVQe8G?c5-;1'
        )),
        (-116, 0.0085569, (
            'f@g+}X>P2VV~z@GU~So?dn%W7Sfr?~ib;rUqf1y+bFo26cQUwcc$unGRi<BzeLZH4baaAoY?)9mVNZ}_'
            'WJ^LnasGsTm0nJpe}8v`04g(kqIZ=cjGbhPmSTFfW;TX(o=;kZbdai&qJc(Ka#*K;h@y{sNn?kLXO@pt'
            'u3LM9b%cdve`Q}wkbRSKp+t|LV@HpHlaq3Olx%^qRMMu0ZMQW}k$;U5QleUeN{N8JVlaPYYHV_XiFQz4'
            'WQu)gUuAz@gsFXRV26n@r6^=rie-X^PoFPVer|0#ma&wScZ5!-rC()0W{hfag1Cv0YmzB`Oeb`&eL#Pj'
        )),
    ),
    "kimi_k2": (
        (-109, 0.0082521, (
            'ZE$aIZ*6XGZGnkzaDZ-YZf|dHaBpyJZ*Om9Z*OjJl#YLLQF3j5T4r&8eRN(*e}08=cz1Mod3kSSiE?gR'
            'Ut(x*Y-MhNep9ZhO>ARhU8+-BPi~=jWs#GMYH)aWR&;n@e0FJvlX;YoZEt^pTeV_lX^e`LeRiHsh--Oo'
            'U~6M%WrB2YSEQ_fUU*kqbzF9NT5@`BU2KYag??vwaZ|c%Z;yv=m2!ZgwuEhDaBXCDd0u>9Z(@63Uwc?!'
            'ZEb#tZcw6^iifmq#&K3IUR^-<l{<b#Gk#}zZEbCB5YmZkJ`WH*G?3;;0380U`E6}&ZEbCBZEbCBZEbCB'
        )),
        (-121, 0.0051014, (
            'sQ%cK)VHdrkaC@dZhd*e#HE{<j)hWgP;jWNc$#^3>dYc}hKQ<whfs-ye3N-`jeEgWqhE`Ohnqh*Ye#v!'
            'z{7vKK#Z41mvB;Jo?m%?v6F0mU0FPaVm#xGe|UL)zi6XzVJv)6R+@}}ntFMGrE!XjRVlbmGkmL#fQos4'
            'gh7#eRd#ob5y6p}hKhND-9eh8WSb&Uaa2)%esp<<)qH4KowH1KwOACCeu8;?d3kwxd3kwxd3kwxd3nis'
            'd3kwxd3kwxd3kwxd3l$4d3kwxd3kwxd3kwxd3kYpW|)0Ez<isjxq@>>L|dMpb9!=weVBou-fEDOd3JdK'
        )),
        (-101, 0.0045196, (
            'Q?+KDKz&h1HbqQGScK)WTvDKeuOt>{gh6qAP=Y9lOiV^vnW|M_GbM940KloUCe(^RH!d+$e|c*<HZQ*Z'
            'Xb)4GWwv!!K}&;EWqpxqYfn{Tb4{a^d306Nu1PISWNSVZcW8iTih6~$ST6&th>BRTN|;?@OMi+5LJ(h-'
            'WqE!=LPlgXicX6}MyN}WnnjCkR%bkYUS?8yk92rWT3$s_ny)u)FmQ5_kt=D4YD8yDTf60LK9zZ7r$J~|'
            'aY%6<E<AQXQJX}3b-a(9Vr6!tdp1LRc3Li!SUhK)X*WnGcUO0ZftXjec8HeHd!ui}hLD$$p_qY~nUlb{'
        )),
        (-120, 0.0038455, (
            'P&kQWcSpEkdP{GRH*KqFdy<NDQ9H7QN^!`%L#KJux@<(8cTZV%uCFQ}OFykMpL?}dgI}tlh@^wcz=&hB'
            'se8gzhfjW9w0d!cV9$k`w0=cyu`+Z$!+>O)XrGLnJ(?_(fVL+?S$mDrOr~pe-Ee$ufO|fY0ExwcYlupi'
            '(13}8U&|=AbZeBeK}LqQmxpa^XfTA3Y;Go3nroh9R$5jm{;yx#Lw=c-HBN7hOuTw=WxKDCz^Hb)X|{N2'
            'XP367-J_c5xq(YytVU92&O&z@hJVqJcCDnYXRL{c^}zLOi+GxOVcVBd&ajVpe35sOa$0t+PDz+$d8mtA'
        )),
        (-113, 0.0036202, (
            'f+&3em3A*zeRhXu#**osm~(<#gi^(Mf_F4EI)pm<SY0iBcz;OOgp|m0go3JmhE;{uO{XR+Z;ZWaBr#=$'
            'mYRwwTwI%)gkrINOfNoEP{gl1rgU|BmP>_?g;MOEW<8sc98)Fya#A{Gp^Q^Xhjm^;(?@cwhmJEykXwRv'
            'W@kHEkS$4>JAhq`FheuebkTU96}xFtm#==UabW%iD=vqzS!|Dvb)cC`ZhW~Fcu-MXi_^~xQTE6^v5$+t'
            'jZ?IUv8j;4fYDpTy}fLLkAiJmOOdy7fSXdNE~s60sg7ivnyHkKm6d0ger8T)!FzYJgo9|8hd6eze`y@C'
        )),
        (-137, 0.011225, (
            'iHV7ciHV7ciHV7ciHV7cj;p<!yr8{lQG952VrHj<m}j?HWzU0WoSJ`{RF0O1h=Z!1j<Q$1?y$IUU5#pX'
            'i?E1^gPM<um7Ao2ePC~4Z)A3Si(BxaiHV7ciHV7ckCuy)j-PORe4c!ilZ$qvgHcJ(kh+V|aB*^mkDzgB'
            'bL6XgL8PLV+Lk<meR_eMiHV7ciHV7ciG6{XoRN%)0EsiAiHV6SiHV7ciH<{wK~$KNt8ILyiHV7ciHV7c'
            'M~R7viHV7ciHV7ciHV7c-+E4cpKOUug;D+{nz%YCi-%m3f0~4MbD4aWWq^aHxQU60%)6v4iJrTOiHU(*'
        )),
        (-109, 0.0057654, (
            'S3HK9Oqq^?cgI@;3mk@}Je)u}frEmVr)xwzi;stkSb<2Wflh^Rx0|kRa%gD?gjH{WP*`G6G?!tdc7$%T'
            'WNbb|xsY0MKT~9QZjnN4d?#0aJzYR6sH2QjdS7KIbZC!2c5jCMZ(nDjq-}J`eO5zJZCY@rqCSCYdXtw`'
            'aDs7PJ078fxJPQ>=9Zu|Q)PdRad?71ODKlYgE5A%anp1*Uy*e%011a+i;<L%Mqjycp_OuGS&edAElNx?'
            'cZhLtkzz1Np>J%bJW^a*v2me-kwbmNEOvKwR;MdZl0u`MPi9qrlZ=K$L{Ub1TZ~;^YFl(iZevVfn^RYX'
        )),
        (-127, 0.0065437, (
            '!djMRhmD<gNwXkQVw=stUq_>IO0biPf=8>ewq`q5pQS`fe>?t-Z=B#TK%R}Vq;p@shG>nBe}iFNaaEvw'
            'XhmN+N%Vl5x?p{&mve}11r!yvu{WC|Tz{cmqi~MGdnTciwPR+OcDkLm&31i{gieu<oXcpMe0ZsXdA71|'
            'iAi3ZpW2pqiGr7jqM~w~mZoEgQ(cB~hLA9zg_&%(UFDaIe9=sW*{7KRdYq1lVU(hoTS=Wtp=yhEiFtm0'
            'm6nR2bBC6TmYaQiTB3OswkTg!k5`MMXTnHyh>?yglZK(Of`DW#sB?~cd6Q(3lGd$#W|}yMVI!Z(Y*$`~'
        )),
    ),
    "mistral_v1": (
        (-120, 0.0077741, (
            'czSwzd3JetcBZj;dzg54d3$$xdwP6%cYAk}dU<+!ouhqyI){FJbAf%Hk9v1wjEj(mjfIGZii&}GbbXCX'
            'b!>WebZ%>nkz2&bWRG%aUb1dgQ*)(tW~RZQa&mipd4`Z^h=6;aw1lIoc8HXPWz2AXZkwc$pM{WFn01GE'
            'c5rfIR)ctxcyX+CW~Mb3h-7|+TWN=-Ae@M>f_Hg>gHXbOgp#AGn1pke?T1ZUjhcCstZr~=SBQ#sc8_a?'
            'cz9rXhGUYUTbz@4o^@h<EkBX|gjjh*K~__RczAetNza3MO&v5wPn!NF06h5K^LTi8czAetczAetczAet'
        )),
        (-109, 0.0049917, (
            'p#I8*rp&*my|b2dX<===!lSm7V4gf)dT4WsY?5tf@sCe(e~g`epi6siYJ6>6eRZ%)hGB$gNMK1_K&)-0'
            'oT+S@Yl5F)a)5YJk27sl&3<WNg)A?eIYY>NaC>cCqg9|=TQ_eZWR`++lV@#l!<m3#Xabp3XFZ2*eQIrO'
            'xLI<8TxDrP1&D-vdwFeg)<=MSfPF1XTqtF3Z)<IN&5vn6l&uZAeS83WVPtK0ZEbCBZEbCBZEbCBZEc8c'
            'ZEbCBZEbCBZEbCBZEcoqZEbCBZEbCBZEbCBZEbUHTy$x0cz=#{mTqN6a6_4ud~9ilZ*6#xiE4g<XKQVJ'
        )),
        (-104, 0.0047611, (
            'Rk&N8N^)UzC0}4pU}?^_Uul_#qCQMcgEebzY;7}wSx;F|kFRlMQ%#E>1B;cgFS~L=KsQA|hh~RBNKdZ*'
            'j~QHraEfqJI8uOKOOd0Ehjv<Ekv+4GX<1UFw^1ivZcIZgplx|@iEwDjRzv`#dT&&lW`0~{d3vcNPB=`W'
            'b8UZKOF>dNqfU)cJ(F9Nkx+hUVOBMEetJ}Ji)o>3Uxzp}nyXAwE_il{m``c3k34E}PNbfLM~`KSuu6h`'
            'R5NHYC|YJ$Riay!fxn)pR&9%+az;pZXmUD-SVeKMJtbK;UVv|<SCwSpjFF+_gVUS5Yq+7ep`UG~p@-hX'
        )),
        (-119, 0.0034483, (
            'N=}G~fpVW+fM#Z#L4KHXUu=k6SyQ2TTyx%?I+SqB%ZW&heS8~4$C)btQemlKs&=zsh*zwun5${tv!+^`'
            'scgSjnNON%ubh5zTI#`{vy(zpmm85u<7_^oZHbPq4tQ>xm8(39E1Hn<VX;k;^KV~senT*N40g+NW_V+d'
            '(|v-UY``|Ag=&zVEmVo8hrNS*Y94i|M^0j3jZvpXO;27U{<dPicW1hiB`Z^TIk<UnY01l`u(4CGSGjVv'
            'a+0Xf)1$D$yR&yj%cG|-%U*jsVtkIXt$%vClA@uX%j)KIm1l>Cv&qa|<f(OihP7{#ZD4cI9aV~kkC9_~'
        )),
        (-118, 0.0037081, (
            'cs7m?g_t68iFcA^o|M|ZnTK6kqGae|l!*W-Z=ps0VM{Auqkw$HVx#DPjb*!`lzWA~W}r_ZTdKfVFH2mU'
            's-%fxU15c&e|N)qUr9+tX2YH{)1h)|lxAd;o`2z+PB5&6JXA#QkZ4|8sbxcCr)6zI%29Hsm8fD=iBF${'
            'P@pMWj73?(S9)oaQco?$s<CLY8mMn;#-(+pn01i_8cT((Ky8MHa)Z!UVwKiRc}-t#bGpehDBrzyu!N_>'
            'rf;ylr^m6)gshm!mC9j_l7(q?V4$pEp~P^!6Mtoms?wRSnyrkDfn$=mqG(ou$&7Hffq`a&m`{?reR?IM'
        )),
        (-144, 0.0082908, (
            'kdTm&kdTm&kdTm&kdTm&qM*Z$pOU9pW@~Yob6V??u05J9edRB<(1*0ehn=loqNb>$grG>b;*6Mok(X<q'
            'k+PGHmz<}MmAJoWZBS}cW?GD!f<ooDkdTm&k&uv(c#o%%qpVk-h<%xw!?KH&wTy}WXQP!>d|Hg7kA+i&'
            'fQzJfw4kt`(W%D2p_zemkdTm&kdTm&kVgBroy=~K9*~9ZkdTlSkdTm&ke3mV065~Dsy4onkdTm&kdTm&'
            'LXeP<kdTm&kdTm&kdTm&x1M^K<}i0sLWGb~n!#sXd8>Vno{yGzcXg7dH<gx_zmSlS%(|9mkc6<1kdU5p'
        )),
        (-123, 0.0095997, (
            'if)L1Uyp8YoswNzI#phVSCL?oXR5Gat#nsmmy({1f`49<rks3Fnq+{1f0ciFjj@rEgl=PpQEqvSd4_z6'
            'er;5Ase+DXa$<LNS$%?UjfHW4VsCPCXqkSXR&bMbWM7(KY;J$hdv<}Eq<edha&>rbXmWO#tB`ndi+6^0'
            'VuyHYWoMX>ftY!TzjM%6cx^#)q@IO-Xj7JZgn@LFdZJZzN^z2vZhnJvlZBIZYgvt4iiU$_bBu$5Q+Qiv'
            'fP|BNhgfZghF_nKOK@V6gi`)=j3r5>cZ`8}h?W3zh=#e2cui}Va&)6*OJRtQjbdnygoSi=bc}6grjwAI'
        )),
        (-133, 0.0090452, (
            'f{2@`g_N3*Y>Y;JV~4k#cS@A9fS_cNeshkGo^x?jo28yrdn~k)daI&xO^%D8Zijn+cyXjrfOuMVk9oU}'
            'lu>eXeYI?xmVIx9o|cPFLTze^XphqXm~&)-h>(A+esq6ziCk~irLnP*{+e`>p*)Cms-B*ec#^BIRik=R'
            'ZBvz==Bt^lr)HaBs+_TOo|S}|YjS*RU!-QWrILD;g~On0d#GxVxuBIXXNP8cW2B&|d^mZ8h-!bCcdd7p'
            'a*BtkcX@t*bDDUfTy2Si)NpHomWyzqq<wIhi-~`GpPhS;n0s@W&yI_ChL>QKm9U+LaHVQ;KZACRj9jOD'
        )),
    ),
    "mistral_v3": (
        (-115, 0.0097587, (
            'b9HrfbaQlca*Ta+blY=ubaZueb#`@gbaZrnb#!xdk&}LFTYz+YWNK-acz9n@f`o>9gnxg6fPQjwcxr)O'
            'Sz>u_a$|OXjCY=wU3F}5Y@%dcU}c$saFUshaCUWsW_pKkhIf65k$RJoaejb?Yqo1|ZH$wZl6iYnifEm6'
            'Z(B`cX^M1bZJ(EcWQ1{vd2EN3Zj6&>Y*3VgfP8^wXmiG0dxMm1h+KD_>wPX<U~XwyNI0X6a(ixVS*31t'
            'b8~)#Z)z!;a@5ds{&7nHQc8F9h!TZ9EK6{db8~ZZSlOa>8Z=8hU~8@tBq-d*;B#|xb8~ZZb8~ZZb8~ZZ'
        )),
        (-130, 0.0057647, (
            'ss7E3;LXCmm7SPxg>-_s$*#Abl7nh^J(HBwf|-JW_pV}pxR9fhr%Pv%gQ0?oo{GF;)qIYYeTrI6XgPw@'
            '!^nrxWQd(`j&6Bxv3P=*%bb>YP-Iwygk7$Mhj@aEx__T_TT6RKc%-X<oQZ;ll9q{@Rx_YfWq7N7m6d{p'
            'qFZ*Ce0YFs8NAD!gpPuV=tiQHdz&#{dR%UXfq;UJ>~Mo^v7J?7%vUp)g_44Xf`WpAf`WpAf`WpAf`YYz'
            'f`WpAf`WpAf`WpAf`Xxff`WpAf`WpAf`WpAf`W5`NP>@0%7LY;wS<OWOmLW~ov3w!g`11G#eagKhK7Ow'
        )),
        (-111, 0.0043518, (
            'f!~M4LV!_I6Gb9IZk6f2oo%C;tuZ`WgDppbSCKiNKOlKwr`l$7S~F)d0J*ox5YdBwTQNyZV`h$8NL{u5'
            'dK6`-XvCCdUnPM|Yk!rLfQ4dRq*RNAwRL~6qEsAIOk7GShDoM&n1`FpT}KtNif3e_QifQ8bhnu$JvdvX'
            'NQq%*Ur1C{tX`KfWQ}g5j(LJ*X?09^S7n8Ee`1|$XLwUr*R@|}9B+V>l_qbDjyY0CD$4D3NU(a8^h|Gd'
            'dqi3VKVf%MPRe$&lEAN$ie00WbU`htd}=tIWJP(vNI*tCUS)}ih_P1csFkYwtIL|qd90eNu9k(cs;buB'
        )),
        (-134, 0.0035826, (
            'pEi?=XK|Z<lw^XOFN)AtcZ!~sSX#VzOq>3uYPpBq-gI)5nTB7Ny>eC~cxAt4vVxvnlv=^CjihVqz>$Nq'
            'oN~fur+TGfvX_>#a?p**s-;?dtX6Sy!G>eIgK3bjSb1-OjIv6Dd%Lp9b-0t3{$p%kq-#8D0G#rlZFhFM'
            'x|^t_rTTY|n1Y?RJ!iVLp`dAmi$HR|VQ@NmfJ~THUWj!&_Ox~1Z-2VIL|avqOum_BaOB^q+mn{YSk`r('
            'kEy)R`N_7|>6<}l$7W-6&yB5ulbfyRkb#i5gQ<+P)Y<rWk7$~JaLJr#!=rhNr{$xhet>7mb6}ryhq9Ja'
        )),
        (-106, 0.0039126, (
            'm@<F>jhseSX?JUMpm4j6f{}A$Z78Z{f@%{mQF%lDW;0NAm~c>bNuJwJc~F79mSTv!QmZ0XUwDgPBt}k;'
            'rjn94bViMoYeS`XFhogXPn4-bqKigwpH5$uZ*$3PYDj{ZBvn4)afne=k#0XumQYedlSEsWeyJ{OWng@F'
            'W@0c!Xf;KNT~l{fHakATfu3uU7M^EmpOk{2gm<|gE<<*zQdn4jSBGvrY<J5coKRqDkFUTjOTE$`v4WDp'
            'XL_Ktshfwlg0E+tiM(%ab)SJ|h>WjUccFN!C5u#SbcA%6gs6>&hICn|O=Nmri+E_Qa${e1ei4tkfMz?L'
        )),
        (-136, 0.015121, (
            'h=_=Yh=_=Yh=_=Yh=_=Yeyp95xs|AITWxEae{!;AoK&t+QRil6owlK*V34I)u91^^dA@O}uaB{PcaT?e'
            'il~E#jgg0khl!Ggi+*xmg?fH;lvBKth=_=Yh=_=Ye3OigWP)*kgp!nuxsrR6hjMqbex!+%U4DRjlAKw3'
            'VCbz`Q2vaNzL-&&hKh@kh=_=Yh=_=Yh)Y(aYm-ih1&ExTh=_=Yh=_=Yh>QS;R*8Lwom+*rh=_=Yh=_=Y'
            'TZo8=h=_=Yh=_=Yh=_=Yf|g^AmSK!!ad>xViKKCNb)H**i-m`FZK1HGTw+~}w1|j^sgab6h?}d3h=`?I'
        )),
        (-120, 0.0065974, (
            'ctLG+QFv}<N~3i#I$zthTXkq_dUe-YfqHr}WQek=f^30_scnKooVcu<kz!*xV491acP@8uOvGPkx?y^q'
            'Xpwkr)OmB1Q%^93dWjT@m}I2Eg<eN_q?)X9k84B;O00cTV-}M4YgUG)d7z2BhFVERetLeXdM~hYT&ul9'
            'j&OK+MR$pIdxetF%b?CWPpEB}MV~pKFe;v+wOCo8Ym;YUa&+8jiC~~HV{fLQVo<q5owj|7dS0u(6Jt0f'
            'YkNv=m}q5k{(qpFfmS_H!&X*Hq-3U_dABL9Xsm}>uXUM#K!gD8KXQmnih4zRo0OfCMtf~YN>ECUn`&aT'
        )),
        (-148, 0.007698, (
            'kZE7nuav2UWRo6+V3@?ur)TPeYTK^We}KVUyGe<lmZ-UAr=-ZPnzGn6P@{*+d2*t$vze=#ke_~hmUpCY'
            'oo>%Fw&rwEskF4dRdt<)J9tIQ%bl-Sm&ISSu$YnDZ%&P@&3sszvb*NIxTINba(>vEvwpzATCr-cr=5Yj'
            'z-`>7naGosg{_@;!^@edtd@C(bzhT^eTPxF+OL(ag5bWnbJ2c%-=*9%jHGt3d(Wn#djP7Js*Iv+l#^m@'
            'Z<Vl-nRmvOq{^0xd6kb?y+>`9mW`pkc%Ei!zf^H&qR+ssq_kN2(R_o7i_mnFb>se$gODz0d_km{sc(v+'
        )),
    ),
    "gemma2": (
        (-99, 0.0075484, (
            'V`gP!W@2VzVt|8WWzk||WMpJyXJ=?-WoKi6W@Bb!hjeLcF>GXMSYB**dvRn>czAwvcye@icXn@YYiwmT'
            'UtMHkU{GmxbXJC^Lv&hOOTSA;OH`0=Xo`K4U{z>wPi}fzd}(WjiE5O6YI1UbSHWIjWrLKOjB9C4eOzp1'
            'T4795RBKc~UwM6OSe!*Ubvl`YX>EajQ)_2#YK(neR$Qe&UtD=heN}6am1|R7bZvNOXGmFdWLI{2NrPBj'
            'V`Ff5RZ;+$J)X^D++{u%FjAA+c@=3V8C7C*V`F1u2YPjDHYG10L`Ts#4lVwu<6~oEV`F1uV`F1uV`F1u'
        )),
        (-129, 0.0047523, (
            'q5jRE$lu}I+10#Re0PDqz^JmFb)0B>k$#4+f1-hg`l?)exv93KlyPK{hp>TkpNq{=n|_g+cVAvdS!jXy'
            '%EFfIOqsfFbC!p2pFx3@?4pHZw_{6pQbM<ljC+BF-gdHPX)|szbDfTbx^;nsxRsTXi4=xIWLTV#otc4&'
            '%4d6od~$S59;wHlmXU#r>{yeQoQyh0Z&Y`LfP;aL^wN=Bnwb@SrFkZhev5&Pfq{X6fq{X6fq{X6fq|ZZ'
            'fq{X6fq{X6fq{X6fq}Jwfq{X6fq{X6fq{X6fq`*>Nl=tDv!|!P%!_(;QD2&{zI}+xg^G;Gta*lzfQ5ko'
        )),
        (-102, 0.004296, (
            'f3#z}9IJ9Z9Y6*^a-!k1l|OlToGwC9X-zePMUY*hBt9=$ztmunOgURR0DG>gN6T|ZL?b_0cu;;{L`RbT'
            'LIF*_P{My#Qc!U`abv2NPM>v4zAlQ4Zfsq&s$48tO*%6Wc~O9YfS9e%RYVc2ePeO08jVL<bBcQ>H$q&%'
            'M{tKxZ&z3~T~TvXSD0m%luw9dMqxF7ZA*)gWLt1+foD2CzM5}3FIIMZr7l*Ha93trJjJnhPl#oI)hu3f'
            'X)<RKSxjkTV5n$>aLH@1cWIKhZapr2eMLojPcd<$MLs<@SX6p+gR6q0kA;!=s@tQeZj-I0zNnI(v76q^'
        )),
        (-109, 0.0036176, (
            'LotA4Re^75Z(L$|DS)m_bZ=#jL1nv^CTGTtJC$m`?ky;wi-|LGrhg>>QDmV_r-!g`k|~0IO@n*UjBRmm'
            'n_{0KY*lS@j-+9DJ)5eYk$PfvlSD2<jd)O!a*d3uNL)ysYHT}%T34^1U&~l&<5WjVmR41B0(j<IMp#gz'
            '{$912iLg#|e`0-yDoeVlgJn)uT_$CoO<GiicTR>qGDSTy+M-dmbXu{VYll@u7La0IU$e@F-IaiqEX`xH'
            'n{SW5>yEP0>7EZu&|ra7o_KgpcWqv;h;ECfZ+>Tns@?2vXiIHoi@%F&kZE*bhN6j;Z#Y?)NMVY3b&G|2'
        )),
        (-95, 0.0039096, (
            'PdkJQk$Xs2ZBSrznQPr-ih5T_e=40#S4kr^M0-U3ffGJhT!CGGZA;Bcdqr@kig0D3Myo17Mq*%ACS*B='
            'fv9dCI3rwrX-t`17brVJLwui1l8ASBjZjCHen-ZJb2fE#8fhQadTT{Yc2p-eY+X1)ok>=Hg{e$sW=Kn9'
            'SDHFzVnjcfQW;c1Gg30Ed5dqE0HQ`+ZhV59Vs)w;8%S`2Qd&)YWPfX6WP-CjcUU}3V3M&KMX9o6#$|YT'
            'PF#Mdj*pJTpN3MZe7cuvVt-^?aAu)Rj*fJe5@$+ihLn(Lk%E6?W;=zFU|vvFnQwENX;467ek6yAja5UJ'
        )),
        (-150, 0.010246, (
            'mX?;5mX?;5mX?;5mX?;5uB4rzwwb4-Z-9oTd2_>rqI1h_aoJIT?3$y#P^Ps{q==)Ih^dIa?X;zMV~=yA'
            'n8ccxh`XL~oS>?Nm3MG;cy@wkkYN4YmX?;5mX?;5k)o!VgM4dcy1t*VvXPmmn{s&Fm#LAHmyd#el$Vip'
            'h4A7^PyV8o&AC&tl8uwVmX?;5mX?;5mYA5Ro3M(OVU~B5mX?-VmX?;5mX`pQS!cM9sYPv_mX?;5mX?;5'
            'RF;;OmX?;5mX?;5mX?;5qN--Mt8$f4XNq}sk+O+*kgRf{fVh`)j!L}3b(Ma+VwRSczv1B&mdebQmX^4W'
        )),
        (-112, 0.0056804, (
            'Xh(@&O>|q1bbhNL3_4(|IDi#-ae3ZPeVH{=grKOob!BIQfnRM^aKeq4e|32(eT9&MhkImxKa)&Gd~|fG'
            'ey1{gwMvacHWMp~gm_ePh+dY1VTeRcnzF)yS~X53HFtARX+VYCXeDrWSeA#!a9BcUUR-0XnQoqrlcA+#'
            'JxY6JI&D*xmyk)V%bxyCXn<&kVv2lkZ9uM=r9fhqbdzXqif5EHS$45kU2lbGP-AO3osWo6dsU=zHd$aU'
            'kcMn)j)7N4p{tvPEl65NrE1b;qX25)HCItxLb+2`tc{^;M5RTXepzWMf<PRFdU33KSb1_bNpDDPkzZnq'
        )),
        (-128, 0.0069185, (
            'j2wlPgI>IRk*O7aVTR7Ph$*w7mbJslaY%`qsai`!Vdq|4kw&Itd6d9r8lY*$gK%k-Saz;jaHmX5X=bHj'
            'em#n9i~etpcxqdzo_wZII97|Yq+^yCj*n-ObzXRkcT9_mriC+xi(B5WwVaM*g?z1sr@DoMK#h!-qPB-`'
            'qdc^TjJ|1>pMimpt&4bZczc#!RBXCbf0sdqt(IovU*MUFcD9|0uXLaQbAMKgbCi^rXEBjdmqKKVX?R?e'
            'YGagdfNhpmp}dHiNrIwj)H7OdadvT!UAaeVuZU_lme-i0h@yJ0%WiFpgu;M)X4j>Pl9?8bJu+OOl1r9j'
        )),
    ),
    "gemma3": (
        (-88, 0.0091995, (
            'SXx+FT2@(ER(ESyTGLlpSXfzESz23JT3cCET3A|Gc6DN5EMZq-Nnc@VX=qhRX=rX`Xk%q(Xl7qwSz%r%'
            'Ra9S9S4~)JVorCFLSs@+QJ_6QK}vmORdsf3R$EbLM`3MGZDC}1bYOpLU1Vf%PNq^>S#o@VcwA&ea8+Vi'
            'QeQ$wRbN&;U2t||QF1LeS3+ZGR$6a*OIl)SV}y80f>EM6VP<DjZB12hds<9VYGY+wUqw}6SWRYNIdMo!'
            'SXgysR!SFxNqw<cvs*VFL{VVHYb<0pF-}TdSXfwC4q0PeEh8o-KttLA03iOV+gMmwSXfwCSXfwCSXfwC'
        )),
        (-132, 0.0049936, (
            'r2f*KyX4^3+ta;kfrEs$#H+QReVku=h?9=Nf|!JV@2Fgjud}VMopfoCh^2&hor}$0q<^EJcVKKzT3m$m'
            '+SQWqSD>$ceV~GTn^1&<^`?kszfeeiQaG}ljf{kg&1Sz`f;Ndce5H?rzkY;<wxEWWjVp*sY*3?$ld^<~'
            '!f<wve0+UdBCfrnm7au+@=B7OsCY+4gj<G(hk}HW_SKYMq?Q$fopUXcgo}iggoK2IgoK2IgoK2IgoLkz'
            'goK2IgoK2IgoK2IgoK`igoK2IgoK2IgoK2IgoJ&BMpvOcx~jFt&Xjj)O-`++$Ap5khm@13u6>4!gNlRz'
        )),
        (-101, 0.0042933, (
            'hQwI87pP%X0Xh{saEkW6giwolsUJC5XGJ!3J(NSVNI6AI#>ruqO(a(-0C=;cN5X?PKp;g{b4-?7G+cQ8'
            'P7zhXFTH?BPFZ|4US+JDR+egIwlIN+f>lhmu~HmiM?F3Yd`X0VgO#wuPe=={dR1VbB7|67aino6Kr&gq'
            'Mss~$a6?lVerI_;WRYu)epG{TT3ji3WL|!oXkU6>WO_O~z@%V9D_MAtr6o&;WJz3CC&S2xM1o<B+d5xw'
            'XgXK{TT6FPSFuHge9Dirh*pKTX;30}f>1YiQaNp{MK(h;TVa2AfR=i#iG`B$qspVQZkDH{x}v41u9V@-'
        )),
        (-113, 0.0036213, (
            'KrDxFUvqtLa&~fuE`6_Be06z{Jyg4iEo9-MK$2>;-akI0ijO;Xt$8Z|U3RTep^T<)j5d9(SZ#j6rf+e1'
            'jbNn^ctm$*o~m_+NV}=3l73lWj7mLEuYqZvc7vFkH(WoRbbBs}MsKIXVZvu?+h0ptqFhO98lTZvUu#*R'
            '{#di1l+IX(m|TL4C{CxWgJ)lBSrK!ZUS33nhdYNUG&nd(+^BD<W=g=HZ+==oGn;N-c&@{b*_U;RFwcCf'
            'm6xQ+*NvOm-Jb|b$!L#aw~UBCk9LTterJ!aY=?-Hzu)k6Vn}XWg~*&{g>`Ifk+zAPWLHh8TV;%SZJv5^'
        )),
        (-116, 0.0032634, (
            'TST7#vY26PiGGWnw1ezyz@2SblRDIMTWcFYV~SAzrYvY^c!hblgK+L#giVaMtBHcZSI#z3XM}54C1_8M'
            'l*+FjS2LfOa!0dw7&SCgP>{7uwx^7trfZL>nMdrVh(MolE^ICNnrmrTi()WJi+Ec>&rw>GoUmMgglK?%'
            'cdb8ldPO<0U^iw*FknBvoYi~a1h;B(mz9ymaeliRBT#gsS$KG;dv<?mbEVTzoL)R_hRfI|S-<3X;&Oh9'
            'Olzslq^i8xx2t;DrTVjvd!&4Ka)HoVl)rVoK8`(tm949YwWXSYh*X}nd39fQu!(uOd2&j6lq8n1qHR#E'
        )),
        (-137, 0.010391, (
            'iHV7ciHV7ciHV7ciHV7chNqK|wS|?YRd{)#X>PNBpF*}hR{l;~(xJA_HkqwGkc6FniJfx0=aig$RDfKZ'
            'i?xc2m!Owrl8vNrjc8<Rb8mTed`|kSiHV7ciHV7ciG;0>bcSkQtFn-CvX_LGdUk)@jjN24ba01vihyNv'
            'P2{3wX3LzI&x1yddWMpGiHV7ciHV7ciEw;}cY$|_M2SD2iHV6SiHV7ciHHD+MRKQwp-FawiHV7ciHV7c'
            'O^Jz#iHV7ciHV7ciHV7clb>0gw?&0iPk(D-kEMxbZi`Hrgqo0VPPnzOMt@Yemx+mqz{12CiKM@YiHVek'
        )),
        (-115, 0.0050026, (
            'ZcUPXOkt38d#!v2BRGT8QG_RJeSiK^q=H36Rb#!weqeH^ZCrh7x51sEYj9LCj)aGWhhc$wHjZL}nr>;C'
            'S(Y!2+<9ASWlT?$M_D^veocRnPjfhaiN?CHIcirWRd#<<cu8`zZAE~5vZianeMDDbP+x7Ll!JkZo367`'
            'XK#j89DHG<ieX^4@{QpqVSj&vSh8|RYFp`ttwv{OSG9sff^wTnfNrZzVOz0wMrmplyp4BHp<BR#8Fp_g'
            'l!jYOlyFZ*nT4sPHD6q3pLykXrT{t88)P(Pqt`iqoo;}8TAxRxc1evXX=_t}Wq`7nQjTX$K5jZZo=#f5'
        )),
        (-135, 0.0069649, (
            'qiTY7eRidfw5cU?b(Z0`iyh9Oj;gxlc1xF$zHL)6Z`4&jdrru6l$p1GI+|_7l68E+W{<vfaIRNdcvpF9'
            'iZ^&_l>Tt3fQ5Fom20ngKWvG*tc0=~f0BHUgm0jQeoK<Dx`#x7qmAXe*PUs5d0wu7o}zzyIgE(Nn9zSr'
            'p;M@qo7;-8ker^MteALJeubV@iD|WMj;cL~sH;!TdCRD*g1(rBsBNkjaE4QzgO;hVVMLo&rDbk=gl~$N'
            'SYfPwd5yVE!nBy9Rf5HC>^fXmg^6>VYQ9X0t&e(9rsAQGhO2$f#+Q9`kegzXd$+lYgpvSwQYmS$ieQv{'
        )),
    ),
}
